import { expect, test } from 'vitest';
import { openDatabase, parseEndpoint } from '../../src/ovsdb/index.ts';

test.each([
  ['unix:/run/ovn/nb.sock', { kind: 'unix', path: '/run/ovn/nb.sock' }],
  ['unix:relative/nb.sock', { kind: 'unix', path: 'relative/nb.sock' }],
  ['tcp:127.0.0.1:6641', { kind: 'tcp', host: '127.0.0.1', port: 6641 }],
  ['tcp:nb.example', { kind: 'tcp', host: 'nb.example', port: 6640 }],
  ['ssl:[::1]:6641', { kind: 'ssl', host: '::1', port: 6641 }],
  ['ssl:[fe80::1%eth0]', { kind: 'ssl', host: 'fe80::1%eth0', port: 6640 }],
  ['punix:/run/ovn/nb.sock', { kind: 'punix', path: '/run/ovn/nb.sock' }],
  ['ptcp:', { kind: 'ptcp', host: '0.0.0.0', port: 6640 }],
  ['ptcp:6641', { kind: 'ptcp', host: '0.0.0.0', port: 6641 }],
  ['ptcp:0:127.0.0.1', { kind: 'ptcp', host: '127.0.0.1', port: 0 }],
  ['pssl:6641:[::]', { kind: 'pssl', host: '::', port: 6641 }],
])('%s is understood', (text, value) => {
  expect(parseEndpoint(text)).toEqual({ ok: true, value });
});

test.each([
  ['', 'does not start with unix:, tcp: or ssl:'],
  ['/run/nb.sock', 'does not start with'],
  ['http:1.2.3.4:80', 'does not start with'],
  ['unix:', 'has no path'],
  ['punix:', 'has no path'],
  ['ptcp:127.0.0.1', 'not ptcp:PORT or ptcp:PORT:IP'],
  ['pssl:65536', 'port 65536'],
  ['tcp:::1:6641', 'in brackets'],
  ['tcp:fd00::1', 'in brackets'],
  ['tcp:1.2.3.4:0', 'port 0'],
  ['tcp:1.2.3.4:65536', 'port 65536'],
  ['tcp:1.2.3.4:http', 'not tcp:HOST:PORT'],
  ['ssl:[::1', 'in brackets'],
])('%j is refused with a reason', (text, reason) => {
  expect(parseEndpoint(text)).toEqual({ ok: false, error: expect.stringContaining(reason) });
});

test('all wrong remotes are named at once', async () => {
  await expect(openDatabase({ remotes: ['tcp:', 'x'], database: 'D' })).rejects.toMatchObject({
    name: 'OvsdbError',
    code: 'bad-remote',
    message: expect.stringMatching(/"tcp:".*"x"/),
  });
  await expect(openDatabase({ remotes: [], database: 'D' })).rejects.toMatchObject({ code: 'bad-remote' });
  await expect(openDatabase({ remotes: ['ssl:h:1'], database: 'D' })).rejects.toMatchObject({
    code: 'bad-tls',
  });
});
