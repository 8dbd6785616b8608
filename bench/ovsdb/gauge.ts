import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from './job.ts';

const sockets: Socket[] = [];
// Tells of every connection of this process, whoever made it.
subscribe('net.client.socket', (message) => {
  sockets.push((message as { readonly socket: Socket }).socket);
});

/** Starts measuring; the function that is returned ends it. */
export function startGauge(serverPids: readonly number[]): () => Measurement {
  const before = { in: received(), out: sent(), server: cpuOfAll(serverPids), own: process.cpuUsage() };
  const start = performance.now();
  return () => {
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(before.own);
    return {
      wallMs,
      cpuMs: (user + system) / 1000,
      serverCpuMs: cpuOfAll(serverPids) - before.server,
      bytesIn: received() - before.in,
      bytesOut: sent() - before.out,
      peakRssMb: peakRssMb(),
    };
  };
}

/** Watches the event loop during `work`; the longest stall is in ms. */
export async function withStall<T>(work: () => Promise<T>): Promise<readonly [result: T, stallMs: number]> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The monitor counts from its second tick on, and sees a stall only when it is over.
  await sleep(20);
  const result = await work();
  await sleep(20);
  delays.disable();
  return [result, delays.max / 1e6];
}

/** MB on the heap and in buffers after collecting garbage; needs --expose-gc. */
export async function heapMb(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('start this process with --expose-gc');
  // Buffers are freed a turn after they were found to be garbage, and hold others.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** Breaks every connection of this process. */
export function cutConnections(): void {
  for (const socket of sockets) socket.destroy();
}

function received(): number {
  return sockets.reduce((total, socket) => total + socket.bytesRead, 0);
}

function sent(): number {
  return sockets.reduce((total, socket) => total + socket.bytesWritten, 0);
}

/** CPU time of processes so far, ms (proc(5)); a clock tick is 10 ms. */
function cpuOfAll(pids: readonly number[]): number {
  return pids.reduce((total, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return total + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
}

/** Unlike getrusage(2), without what the parent held when it forked. */
function peakRssMb(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
