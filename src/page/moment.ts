import { html, type Html } from './html.ts';

/** A moment, ms since 1970, as `2026-11-30 20:15:01Z`; a dash for what is no moment. */
export function moment(ms: number | undefined): Html {
  const date = new Date(ms ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return html`–`;
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, -5).replace('T', ' ')}Z</time>`;
}

/** A span of time, ms, with the two units that matter: `840 ms`, `12.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
export function span(ms: number): string {
  if (!(ms >= 0)) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toString()} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
