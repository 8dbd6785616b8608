import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { pino } from 'pino';

/** Takes events for the log: a static name and fields. */
export type Log = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/** A log of JSON lines to standard error: one event a line, a static message with fields beside it. */
export function openLog(name: string): Log {
  return logTo(name, (line) => process.stderr.write(line));
}

/**
 * The same to a file of mode 0600, which is opened with the first line. A line that cannot be written, because the disk
 * is full or the file is not ours, is left out: `complain` hears of it once, and the log itself says how many are
 * missing when it goes on.
 */
export function openFileLog(file: string, name: string, complain: (sentence: string) => void): Log {
  let target: number | undefined;
  let torn = '';
  let lost = 0;
  let complained = false;
  const append = (line: string): void => {
    try {
      target ??= openPrivate(file);
      const missed = lost === 0 ? '' : `${JSON.stringify({ name, lost, msg: 'lines are missing here' })}\n`;
      const bytes = Buffer.from(`${torn}${missed}${line}`);
      const written = writeSync(target, bytes);
      if (written < bytes.length) {
        torn = '\n';
        throw new Error('the disk is full');
      }
      [torn, lost] = ['', 0];
    } catch (error) {
      lost += 1;
      if (!complained) complain(`lines are left out of the log ${file}: ${(error as Error).message}\n`);
      complained = true;
    }
  };
  return logTo(name, append);
}

function logTo(name: string, write: (line: string) => void): Log {
  const logger = pino({ base: { name, pid: process.pid } }, { write });
  return (event, fields) => logger.info(fields, event);
}

function openPrivate(file: string): number {
  const opened = openSync(file, 'a', 0o600);
  try {
    if (fstatSync(opened).isFile()) fchmodSync(opened, 0o600);
    return opened;
  } catch (error) {
    closeSync(opened);
    throw error;
  }
}
