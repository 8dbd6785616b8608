/** Things that no OVSDB server says where a value of another type belongs. */
const VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  0.5,
  true,
  'garbage',
  '',
  [],
  {},
  [[[[[]]]]],
  ['set'],
  ['set', 5],
  ['map', ['x']],
  ['uuid'],
  ['uuid', 'garbage'],
  { initial: null },
  { modify: 5 },
  { insert: { garbage: 1 } },
  { error: 'garbage' },
  { toString: 1, constructor: null },
];

/** One value, whole or somewhere inside, replaced by a value of another type; everything else is as it was. */
export function garbled(value: unknown, random: () => number): unknown {
  const isInside = typeof value === 'object' && value !== null && random() < 0.85;
  const entries = isInside ? Object.entries(value) : [];
  if (entries.length === 0) return otherThan(value, random);
  const [key, inner] = entries[Math.floor(random() * entries.length)] as [string, unknown];
  const after = garbled(inner, random);
  return Array.isArray(value)
    ? (value as readonly unknown[]).map((each, at) => (String(at) === key ? after : each))
    : { ...(value as object), [key]: after };
}

/** Bytes that are no conversation: noise, pieces of JSON, JSON that means nothing, and JSON without end. */
export function garbageBytes(random: () => number): Uint8Array {
  const noise = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 300) }, () => random() * 256));
  const choices: readonly (() => Uint8Array | string)[] = [
    () => noise,
    () => '{"id":0,"result":{"tables"',
    () => '{}{}{}',
    () => '[]',
    () => '"',
    () => '\0\0\0\0',
    () => '\u{feff}{}',
    () => `{"id":null,"method":"update3","params":${'['.repeat(100_000)}`,
    () => '{"a":'.repeat(1000),
    () => `{"id":${'9'.repeat(400)},"result":1,"error":null}`,
    () => '{"id":1e999,"result":null,"error":{"error":"x"}}',
    () =>
      '{"id":0,"result":[],"error":null}{"id":1,"result":5,"error":null}{"id":2,"result":null,"error":null}',
    () => '{"method":5,"id":null,"params":[]}',
    () => '{"id":null,"method":"update3","params":null}',
    () => '{"id":null,"method":"update3","params":["data-1","x",{"Logical_Switch":{"x":null}}]}',
    () => '{"id":null,"method":"__proto__","params":{"__proto__":1}}',
    () => '{"id":null,"method":"stolen","params":[{}]}{"id":null,"method":"locked","params":[]}',
    () => '{"id":7,"method":"format the disk","params":[]}'.repeat(50),
    () => '{"id":"echo","method":"echo","params":[]}'.repeat(200),
    () =>
      '{"id":0,"result":{"name":"OVN_Northbound","version":"1.0.0","tables":{"__proto__":{}}},"error":null}',
    () => '{"id":{"a":[1]},"result":"\\ud800","error":null}',
    () => 'HTTP/1.1 400 Bad Request\r\n\r\n',
  ];
  return Buffer.from((choices[Math.floor(random() * choices.length)] as () => string)());
}

function otherThan(value: unknown, random: () => number): unknown {
  for (;;) {
    const other = VALUES[Math.floor(random() * VALUES.length)];
    if (kindOf(other) !== kindOf(value)) return other;
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}
