import net from 'node:net';
import type { Part } from './part.ts';

/** True when a part serves on its socket: Redis answers a PING, the others accept a connection. */
export function answers(part: Part, socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    const end = (verdict: boolean): void => {
      connection.destroy();
      resolve(verdict);
    };
    connection.setTimeout(1000, () => {
      end(false);
    });
    connection.once('error', () => {
      end(false);
    });
    connection.once('connect', () => {
      // Redis accepts connections long before it has loaded its data.
      if (part === 'redis') connection.write('PING\r\n');
      else end(true);
    });
    connection.once('data', (reply: Buffer) => {
      end(reply.toString().startsWith('+PONG'));
    });
  });
}
