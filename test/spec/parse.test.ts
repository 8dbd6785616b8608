import { fc, test as check } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../src/model/diagnostic.ts';
import { parseFile } from '../../src/spec/parse.ts';

const VPC = 'apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: { name: red }\nspec: {}\n';

function codes(text: string): readonly string[] {
  return parseFile('a.yaml', text).diagnostics.map(({ code }) => code);
}

describe('documents', () => {
  test.each([
    ['an empty file', ''],
    ['only comments', '# apiVersion: ovn-gitops.io/v1\n#\n\n# kind: Vpc\n'],
    ['empty documents', '---\n---\n# nothing\n---\n'],
    ['a byte order mark alone', '\uFEFF'],
  ])('%s has none', (_what, text) => {
    expect(parseFile('a.yaml', text)).toEqual({ file: 'a.yaml', resources: [], unread: [], diagnostics: [] });
  });

  test('a file may hold several, with and without markers around them', () => {
    const parsed = parseFile('a.yaml', `# first\n---\n${VPC}...\n---\n${VPC.replace('red', 'blue')}---\n`);
    expect(parsed.diagnostics).toEqual([]);
    expect(parsed.resources.map(({ name }) => name)).toEqual(['red', 'blue']);
    expect(parsed.resources.map(({ origin }) => origin.place.line)).toEqual([3, 9]);
  });

  test('%YAML 1.2 is welcome', () => {
    expect(codes(`%YAML 1.2\n---\n${VPC}`)).toEqual([]);
  });

  test('a broken document does not hide what is wrong with its neighbours', () => {
    const text = `${VPC.replace('{}', '{ a: 1 }')}---\nkind: [\n---\n${VPC.replace('{}', '{ b: 1 }')}`;
    expect(codes(text)).toEqual(['SCH202', 'YAM101', 'SCH202']);
  });

  test('a resource carries its metadata', () => {
    const text = `apiVersion: ovn-gitops.io/v1\nkind: Port\nmetadata:\n  name: "0123"\n  namespace: shop\n  labels: { app: web }\n  annotations: { note: "a: b" }\nspec: { subnet: web }\n`;
    const [port] = parseFile('a.yaml', text).resources;
    expect(port).toMatchObject({
      kind: 'Port',
      name: '0123',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: { note: 'a: b' },
      spec: { subnet: 'web' },
    });
  });

  test('what an API server adds to a Kubernetes document is ignored, and null is absent', () => {
    const text =
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: a, namespace: b, creationTimestamp: null, uid: x, labels: null }\nspec: { podSelector: { matchLabels: null }, ingress: null, policyTypes: [Ingress] }\nstatus: {}\n';
    const parsed = parseFile('a.yaml', text);
    expect(parsed.diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning SCH208']);
    expect(parsed.resources[0]?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
  });

  test('a name that is a date for YAML 1.1 is taken byte for byte', () => {
    expect(parseFile('a.yaml', VPC.replace('red', '2024-01-02')).resources[0]?.name).toBe('2024-01-02');
  });
});

describe('places', () => {
  const text = `apiVersion: ovn-gitops.io/v1\r\nkind: Subnet\r\nmetadata: { name: a, annotations: { note: "😀😀", x: y } }\r\nspec:\r\n  cidrs:\r\n    - 10.0.1.0/24\r\n  exclude: [10.0.1.2, 10.0.1.9]\r\n`;
  const origin = parseFile('net/a.yaml', text).resources[0]?.origin;

  test.each([
    ['spec.exclude[1]', 7, 23],
    ['spec.exclude', 7, 12],
    ['spec.cidrs[0]', 6, 7],
    ['metadata.annotations.x', 3, 52],
    ['spec.nosuch.deeper[3]', 5, 3],
    ['', 1, 1],
  ])('%s is at %i:%i', (field, line, column) => {
    expect(origin?.placeOf(field)).toEqual({ file: 'net/a.yaml', line, column });
  });

  test('an excerpt is the line, and how much of it the value has, in code points', () => {
    expect(origin?.excerptOf('spec.exclude[1]')).toEqual({
      text: '  exclude: [10.0.1.2, 10.0.1.9]',
      length: 8,
    });
    expect(origin?.excerptOf('metadata.annotations.note').length).toBe(4);
  });

  test('a field with a name of its own rules is found', () => {
    const lock = `apiVersion: ovn-gitops.io/v1\nkind: AddressLock\nmetadata: { name: l }\nspec:\n  ports:\n    shop/web: [10.0.1.7, "2001:db8::7"]\n`;
    const found = parseFile('l.yaml', lock).resources[0]?.origin.placeOf('spec.ports["shop/web"][1]');
    expect(found).toEqual({ file: 'l.yaml', line: 6, column: 26 });
  });
});

describe('limits', () => {
  test('at most 200 problems of a file are shown, and how many there are', () => {
    const rules = Array.from({ length: 300 }, () => '{ wrong: 1 }').join(', ');
    const text = `apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: { name: a }\nspec: { routes: [${rules}] }\n`;
    const { diagnostics } = parseFile('a.yaml', text);
    expect(diagnostics).toHaveLength(201);
    expect(diagnostics.at(-1)?.code).toBe('SCH209');
    expect(diagnostics.at(-1)?.message).toMatch(/^[0-9]+ more problems in this file are not shown$/);
  });

  test('nesting and size are bounded', () => {
    expect(codes(`a: ${'['.repeat(50)}${']'.repeat(50)}\n`)).toEqual(['YAM110']);
    expect(codes(`# ${'x'.repeat(5 * 1024 * 1024)}`)).toEqual(['YAM110']);
  });

  test('an expansion bomb is refused without being expanded', () => {
    const bomb = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n');
    expect(codes(`a0: &a0 x\n${bomb}\n`)).toContain('YAM105');
  });
});

describe('any text', () => {
  const word = fc.constantFrom(
    'a',
    'kind',
    'Vpc',
    'spec',
    'metadata',
    'name',
    '1',
    '0123',
    '~',
    '"q"',
    "'s'",
    '|',
    '>',
    '-',
    '?',
    ':',
    ': ',
    '\n',
    '\n  ',
    '\t',
    '{',
    '}',
    '[',
    ']',
    ',',
    '#',
    ' #',
    '&x',
    '*x',
    '!t',
    '<<',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '__proto__',
    '\u{1F600}',
    '\r\n',
    '\0',
    'é',
    ' ',
  );

  check.prop([fc.array(word, { maxLength: 40 })], { numRuns: 500 })(
    'has an answer with places inside the text',
    (words) => {
      const text = words.join('');
      const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
      for (const { place, excerpt, hint, message } of parseFile('a.yaml', text).diagnostics) {
        expect(place.line).toBeGreaterThan(0);
        expect(place.line).toBeLessThanOrEqual(lines.length);
        expect(place.column).toBeGreaterThan(0);
        expect(excerpt?.text).toBe(lines[place.line - 1]);
        expect([hint, message]).not.toContain('');
      }
    },
  );

  check.prop([fc.nat({ max: VPC.length }), fc.string({ maxLength: 3 })])(
    'spoilt documents never throw',
    (at, junk) => {
      const parsed = parseFile('a.yaml', VPC.slice(0, at) + junk + VPC.slice(at));
      expect(
        parsed.resources.length === 1 || hasErrors(parsed.diagnostics) || parsed.resources.length === 0,
      ).toBe(true);
    },
  );
});
