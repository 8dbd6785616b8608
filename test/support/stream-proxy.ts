import net from 'node:net';

/** A network between clients and a server, which a test can break. */
export interface StreamProxy {
  readonly port: number;
  /** Cuts every connection; new ones are refused until restore(). */
  cut(): void;
  /** Lets nothing through any more on connections that are there, without a word to either side; new ones work. */
  silence(): void;
  restore(): void;
  stop(): Promise<void>;
}

/** Stands between clients and a server on a unix socket, on a port of 127.0.0.1. */
export async function startStreamProxy(serverPath: string): Promise<StreamProxy> {
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let isCut = false;
  const listener = net.createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const pair = [client, net.connect(serverPath)] as const;
    pairs.add(pair);
    const [, server] = pair;
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server);
    server.pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const destroyAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (listener.address() as net.AddressInfo).port,
    cut: () => {
      isCut = true;
      destroyAll();
    },
    silence: () => {
      for (const [client, server] of pairs) {
        client.unpipe(server);
        server.unpipe(client);
        client.pause();
        server.pause();
      }
    },
    restore: () => {
      isCut = false;
    },
    stop: async () => {
      destroyAll();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
