import { type Database, equalValues, openDatabase, type Row } from '../../src/ovsdb/index.ts';
import { runJob } from './run-job.ts';
import type { Comparison, Subject } from './subject.ts';

/** Our library, as anybody would use it. */
await runJob(({ socketPath }): Subject => {
  let database: Database;
  return {
    open: async () => {
      database = await openDatabase({ remotes: [`unix:${socketPath}`], database: 'OVN_Northbound' });
    },
    transact: async (operations) => {
      const outcome = await database.transact(operations);
      if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome).slice(0, 1000));
    },
    rowCount: () =>
      [...database.schema.tables.keys()].reduce((total, table) => total + database.rows(table).size, 0),
    onPortSent: (listener) => {
      database.onChange((changes) => {
        for (const { table, before, after } of changes) {
          if (table !== 'Logical_Switch_Port' || before !== undefined) continue;
          const ids = after?.['external_ids'];
          const sent = ids instanceof Map ? (ids.get('sent') as unknown) : undefined;
          if (typeof sent === 'string') listener(sent);
        }
      });
    },
    recover: async () => {
      await new Promise<void>((resolve) => {
        const remove = database.onState((state) => {
          if (state !== 'live') return;
          remove();
          resolve();
        });
      });
    },
    comparison: () => comparisonOf(database),
    close: () => database.close(),
  };
});

function comparisonOf(database: Database): Comparison {
  const wanted = [...database.schema.tables].flatMap(([table, { columns }]) =>
    [...database.rows(table).values()].map((row) => ({
      table,
      uuid: row._uuid,
      columns: [...columns.keys()],
      row: structuredClone({ ...row }),
    })),
  );
  return {
    count: wanted.length,
    differing: (from, to) => {
      let differing = 0;
      for (let nth = from; nth < to; nth += 1) {
        const one = wanted[nth];
        if (one === undefined) continue;
        const live = database.row(one.table, one.uuid);
        if (live === undefined || !isEqual(one.columns, one.row, live)) differing += 1;
      }
      return differing;
    },
  };
}

function isEqual(columns: readonly string[], wanted: Row, live: Row): boolean {
  for (const column of columns) {
    if (!equalValues(wanted[column], live[column])) return false;
  }
  return true;
}
