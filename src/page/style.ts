/** The stylesheet: light and dark, wide and narrow, nothing to load. It stands in the page; the CSP names its hash. */
export const STYLE: string = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --link: #0a58b5; --code: #f0f2f5;
  --good: #0b6236; --good-ground: #e2f4e9; --busy: #7a4a00; --busy-ground: #fdf0d8; --bad: #a3201a; --bad-ground: #fde8e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101317; --card: #181c21; --text: #e5e8eb; --quiet: #a2abb5; --line: #333a42; --link: #82b4ff; --code: #22282f;
    --good: #7fd8a0; --good-ground: #16301f; --busy: #f2c069; --busy-ground: #352710; --bad: #ff9c94; --bad-ground: #3d1a18;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 84rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
h1 small { color: var(--quiet); font-weight: normal; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .5rem; }
p { margin: 0 0 .5rem; }
small { color: var(--quiet); font-size: .875rem; }
a { color: var(--link); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, pre { font: .875rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin-bottom: 1rem; }
.lead { font-size: 1.1rem; }
dl { margin: 0; }
dl div { display: flex; gap: .75rem; }
dt { flex: 0 0 11rem; color: var(--quiet); }
dd { margin: 0; min-width: 0; }
pre { background: var(--code); border-radius: .25rem; padding: .75rem; margin: 0; overflow: auto; max-height: 30rem; white-space: pre-wrap; }
.mark { display: inline-block; padding: 0 .5rem; border-radius: .25rem; font-weight: 600; white-space: nowrap; }
.good { color: var(--good); background: var(--good-ground); }
.busy { color: var(--busy); background: var(--busy-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.rows, .commit, time { white-space: nowrap; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-size: .875rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
.unit { display: inline-block; min-width: 9rem; }
td ul { list-style: none; margin: 0; padding: 0; }
td li { padding-left: 2ch; text-indent: -2ch; }
td p { margin: 0; }
footer { color: var(--quiet); font-size: .875rem; }
@media (max-width: 56rem) {
  body { padding: .5rem; }
  section { padding: .75rem; }
  dl div { display: block; margin-bottom: .25rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  table, tbody, tr, tbody th, td { display: block; }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  tbody th, td { display: flex; gap: .75rem; border: 0; padding: .1rem 0; }
  tbody th::before, td::before { content: attr(data-column); flex: 0 0 8rem; color: var(--quiet); font-weight: normal; font-size: .875rem; }
  tbody th div, td div { min-width: 0; }
}
@media (max-width: 25rem) {
  tbody th::before, td::before { flex-basis: 5rem; }
  time { white-space: normal; }
}
`;
