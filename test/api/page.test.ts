import { describe, expect, test } from 'vitest';
import { fc, test as property } from '@fast-check/vitest';
import type { UnitName } from '../../src/model/nb.ts';
import type { Convergence, StatusOverview } from '../../src/model/status.ts';
import { escapeText } from '../../src/page/html.ts';
import { renderPage } from '../../src/page/render-page.ts';
import { driftRecord, overview, revisionRecord, sourceStatus, unitStatus } from './overview.ts';

const AT_REST = { refreshSeconds: undefined };

/** The page as text, without its head; a blank ends a cell. */
function textOf(given: StatusOverview): string {
  const [, body = ''] = renderPage(given, AT_REST).split('<body>');
  return body
    .replaceAll(/<\/(?:td|th|li)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

describe('the revision in force', () => {
  test('is the one Git is at', () => {
    expect(textOf(overview({}))).toContain(
      'The network serves revision 3, commit cccccccccccc, and so does Git.',
    );
  });

  test('is told apart from a commit that is not valid, with its diagnostics', () => {
    const source = sourceStatus({
      seen: 'd'.repeat(40),
      condition: 'Stalled',
      reason: 'Invalid',
      message: 'commit dddddddddddd has 1 error; the last good revision stays in force',
      diagnostics: 'a.yaml:3:5: error[SCH202]: the field "cidr" is unknown\n  hint: Did you mean "cidrs"?\n',
    });
    const text = textOf(overview({ source }));
    expect(text).toContain(
      'revision 3, commit cccccccccccc. Git is at dddddddddddd, which is not valid. ! Stalled Invalid: commit',
    );
    expect(text).toContain(
      'a.yaml:3:5: error[SCH202]: the field "cidr" is unknown hint: Did you mean "cidrs"?',
    );
  });

  test('is told apart from a commit that is held, with the reason', () => {
    const source = sourceStatus({
      seen: 'd'.repeat(40),
      condition: 'Stalled',
      reason: 'HistoryRewritten',
      message: 'history was rewritten; to apply it all the same, run "ovn-gitops allow dddddddddddd"',
    });
    const text = textOf(overview({ source }));
    expect(text).toContain('Git is at dddddddddddd, which is not in force.');
    expect(text).toContain(
      'HistoryRewritten: history was rewritten; to apply it all the same, run "ovn-gitops',
    );
  });

  test.each([
    ['not looked at yet', undefined, 'The repository has not been looked at yet.'],
    [
      'nothing accepted yet',
      sourceStatus({ serving: undefined, fetchedAt: undefined }),
      'Nothing is in force yet. Git is at cccccccccccc.',
    ],
  ])('%s', (_, source, sentence) => {
    expect(textOf({ ...overview({}), source })).toContain(sentence);
  });
});

describe('units', () => {
  test('that need a person come first', () => {
    const units = [
      unitStatus('a', {}),
      unitStatus('b', { condition: 'Reconciling' }),
      unitStatus('c', { condition: 'Stalled', reason: 'NbRefused', message: 'constraint violation' }),
    ];
    const text = textOf(overview({ units }));
    expect(text).toContain('3 units: 1 Stalled, 1 Reconciling, 1 Ready.');
    expect(text).toMatch(/vpc\/c ! Stalled NbRefused .*constraint violation.*vpc\/b .*vpc\/a/);
  });

  test.each([
    ['nothing is known', undefined, '–'],
    [
      'northd is slow',
      { nbCfg: 7, translatedAt: undefined, chassis: undefined },
      'committed, not translated yet',
    ],
    [
      'the Southbound is not watched',
      { nbCfg: 7, translatedAt: 8, chassis: undefined },
      'chassis not watched',
    ],
    ['there is no chassis', proven(0, 0, []), 'translated; no chassis'],
    ['all have it', proven(3, 3, []), 'translated; 3/3 chassis'],
    ['some are behind', proven(1, 3, ['n-1', 'n-2']), 'translated; 1/3 chassis behind: n-1, n-2'],
    ['many are behind', proven(1, 9, 'abcdefgh'.split('')), 'behind: a, b, c, d, e and 3 more'],
  ])('show their proof: %s', (_, convergence, shown) => {
    expect(textOf(overview({ units: [unitStatus('a', { convergence })] }))).toContain(` ${shown} `);
  });

  test('are cut after a few hundred, and the page says where the others are', () => {
    const units = Array.from({ length: 1_000 }, (_, at) => unitStatus(`u${at}`, {}));
    const page = renderPage(overview({ units }), AT_REST);
    expect(page.match(/vpc\/u/g)).toHaveLength(300);
    expect(page).toContain('700 more are in <a href="/status.json">');
  });
});

test('history shows what each revision changed and when it was written', () => {
  const text = textOf(overview({ history: [revisionRecord(3), { ...revisionRecord(2), receipts: [] }] }));
  expect(text).toContain('3 cccccccccccc 2026-11-30 20:15:00Z +2 ~4 −6 2 1.5 s Open port 443 Ada');
  expect(text).toContain('+0 ~0 −0 0 nothing written');
});

test('drift shows what was found, what is wanted, and the time to repair', () => {
  const text = textOf(
    overview({
      drift: [
        driftRecord({}),
        driftRecord({ outcome: 'contested', correctedAt: undefined, changes: 'abcdefghijklm'.split('') }),
      ],
    }),
  );
  expect(text).toContain('✓ corrected 120 ms ~ Logical_Switch_Port/web addresses: [evil] -> [good]');
  expect(text).toContain('! contested left as it is a b c d e f g h i j 3 more in drift.json');
});

describe('hostile texts', () => {
  const SCRIPT = `<script>alert(1)</script><img src=x onerror="alert(1)">' " & </style>`;

  test('of every field stay text', () => {
    const page = renderPage(everywhere(SCRIPT), { refreshSeconds: 15 });
    expect(page).not.toMatch(/<script|<img|onerror="/);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    // Cut or not, it is shown wherever it was put.
    expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThanOrEqual(15);
  });

  property.prop([fc.string({ unit: 'binary', maxLength: 300 })])(
    'make no element and end no attribute',
    (text) => {
      const page = renderPage(everywhere(text), AT_REST);
      expect(tagsOf(page)).toEqual(tagsOf(renderPage(everywhere('x'), AT_REST)));
    },
  );

  test('that are very long are cut, and do not make the page long', () => {
    expect(renderPage(everywhere('x'.repeat(1_000_000)), AT_REST).length).toBeLessThan(100_000);
  });

  test('are cut between characters, never inside', () => {
    const page = renderPage(
      overview({ history: [{ ...revisionRecord(3), subject: `x${'😀'.repeat(400)}` }] }),
      AT_REST,
    );
    expect(page).toContain('😀…');
    expect(page).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    expect(page).not.toContain('U+D83D');
  });

  test.each([
    ['a reordering character', 'a\u202Etxt.exe', 'a⟨U+202E⟩txt.exe'],
    ['a control character', 'a\u001B[31m\u0000', 'a⟨U+001B⟩[31m⟨U+0000⟩'],
    ['half of a surrogate pair', 'a\uD83D', 'a⟨U+D83D⟩'],
    ['a hidden space', 'a\u200Bb', 'a⟨U+200B⟩b'],
  ])('show %s', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  test('of other scripts and emoji are left as they are', () => {
    for (const text of ['Привет, 世界, שלום', '👩‍👩‍👧 deploy', 'نمی‌خواهم', 'a\tb\nc'])
      expect(escapeText(text)).toBe(text);
  });

  test('moments that are none do not break the page', () => {
    const history = [{ ...revisionRecord(3), acceptedAt: 1e300 }];
    expect(textOf(overview({ history, units: [unitStatus('a', { at: -1e300 })] }))).toContain(
      '3 cccccccccccc –',
    );
  });
});

describe('the document', () => {
  test('runs nothing and loads nothing', () => {
    const page = renderPage(overview({}), { refreshSeconds: 15 });
    expect(page).not.toMatch(
      /<(?:script|link|img|iframe|object|form)\b|\sstyle="|\son[a-z]+="|url\(|@import/,
    );
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].every(([, target]) => target?.startsWith('/'))).toBe(
      true,
    );
  });

  test('loads itself again when asked to, and can be held still', () => {
    expect(renderPage(overview({}), { refreshSeconds: 3 })).toContain(
      '<meta http-equiv="refresh" content="3" />',
    );
    expect(renderPage(overview({}), AT_REST)).not.toContain('http-equiv');
    expect(renderPage(overview({}), { refreshSeconds: 3 })).toContain('href="/?refresh=off"');
  });

  test('gives every table a name, every column a header and every cell the name of its column', () => {
    const page = renderPage(overview({}), AT_REST);
    const tables = page.match(/<table[\s\S]*?<\/table>/g) ?? [];
    expect(tables).toHaveLength(3);
    for (const table of tables) {
      const columns = [...table.matchAll(/scope="col"[^>]*>([^<]*)</g)].map(([, name]) => name);
      const cells = [...table.matchAll(/data-column="([^"]*)"/g)].map(([, name]) => name);
      expect(table).toMatch(/^<table role="table" aria-label="\w+"/);
      expect(cells).toEqual(columns);
    }
  });

  test('is the same for the same overview', () => {
    expect(renderPage(overview({}), AT_REST)).toBe(renderPage(overview({}), AT_REST));
  });
});

/** An overview with `text` in every field that is one. */
function everywhere(text: string): StatusOverview {
  const convergence = { nbCfg: 1, translatedAt: 2, chassis: { caughtUp: 0, total: 1, behind: [text] } };
  const unit = text as UnitName;
  return {
    owner: text.slice(0, 200),
    source: sourceStatus({
      url: text,
      reason: text,
      message: text,
      serving: { sequence: 3, commit: text },
      seen: `${text}!`,
      diagnostics: `a${text}b`,
    }),
    units: [unitStatus('a', { unit, reason: text, message: text, commit: text, convergence })],
    history: [{ ...revisionRecord(3), commit: text, subject: text, author: text }],
    drift: [driftRecord({ unit, changes: [text] })],
    readAt: 0,
  };
}

/** Every tag of a page, with what is in quotes left out. */
function tagsOf(page: string): readonly string[] {
  return (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
}

function proven(caughtUp: number, total: number, behind: readonly string[]): Convergence {
  return { nbCfg: 7, translatedAt: 8, chassis: { caughtUp, total, behind } };
}
