import { pino } from 'pino';

/** Takes events for the log: a static name and fields. */
export type Log = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/** A log of JSON lines to a file or to standard error: one event a line, a static message with fields beside it. */
export function openLog(file: string | undefined, name: string): Log {
  const destination =
    file === undefined ? pino.destination(2) : pino.destination({ dest: file, mkdir: true });
  const logger = pino({ base: { name, pid: process.pid } }, destination);
  return (event, fields) => logger.info(fields, event);
}
