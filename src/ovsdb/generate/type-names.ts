/** The names of the types of one module: no two are equal, and none hides a type that the module needs. */
export class TypeNames {
  /** The interface of all tables. */
  readonly tables: string;
  readonly #taken = new Set(['RowName', 'RowUuid', 'Uuid', 'ReadonlyMap']);

  constructor(database: string) {
    this.tables = this.#take(`${pascal(database)}Tables`);
  }

  /** The names for a table: `Logical_Switch` -> `LogicalSwitch` and `NewLogicalSwitch`. */
  of(table: string): { readonly row: string; readonly insert: string } {
    return { row: this.#take(pascal(table)), insert: this.#take(`New${pascal(table)}`) };
  }

  #take(name: string): string {
    let free = name;
    while (this.#taken.has(free)) free += '_';
    this.#taken.add(free);
    return free;
  }
}

/** `Logical_Switch` -> `LogicalSwitch`, `OVN_Northbound` -> `OVNNorthbound`. */
function pascal(name: string): string {
  const words = name.split('_').filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}
