import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import net from 'node:net';
import { fail, ok, type Result } from '../lib/result.ts';
import type { ListenAddress } from './listen-address.ts';

/** Binds a server; a failure is a sentence that says what to do. A socket that a dead process has left is replaced. */
export async function listen(server: net.Server, address: ListenAddress): Promise<Result<string, string>> {
  if (address.kind === 'unix') await removeDeadSocket(address.path);
  try {
    const listening = once(server, 'listening');
    if (address.kind === 'unix') server.listen({ path: address.path });
    else server.listen({ host: address.host, port: address.port, exclusive: true });
    await listening;
  } catch (error) {
    return fail(explain(address, error as NodeJS.ErrnoException));
  }
  return ok(urlOf(server.address(), address));
}

/** An address as people write it. */
function printAddress(address: ListenAddress): string {
  return address.kind === 'unix' ? address.path : `${bracketed(address.host)}:${address.port}`;
}

async function removeDeadSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isSocket() !== true) return;
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = net.connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
  if (!isAlive) await rm(path, { force: true });
}

function explain(address: ListenAddress, { code, message }: NodeJS.ErrnoException): string {
  const where = printAddress(address);
  switch (code) {
    case 'EADDRINUSE':
      return address.kind === 'unix'
        ? `${where} is in use or is no socket; choose another path with --listen`
        : `${where} is in use; choose another port with --listen, or port 0 for a free one`;
    case 'EACCES':
      return `${where} may not be used by this user; choose another port or path with --listen`;
    case 'EADDRNOTAVAIL':
      return `${where} is no address of this machine; choose one that it has with --listen`;
    case undefined:
    default:
      return `can't listen at ${where}: ${message}`;
  }
}

function urlOf(bound: ReturnType<net.Server['address']>, address: ListenAddress): string {
  if (bound === null || typeof bound === 'string' || address.kind === 'unix') {
    return `unix:${printAddress(address)}`;
  }
  return `http://${bracketed(address.host)}:${bound.port}/`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
