// The style of the documentation as a web site: light and dark, one column on narrow screens.

export const SITE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1f2933; --soft: #5b6875; --line: #dfe4ea; --panel: #f5f7fa;
  --link: #1d5fb0; --mark: #e6f0fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d; --text: #dfe4ea; --soft: #a0acb8; --line: #2c3641; --panel: #1a212a;
    --link: #7db7f5; --mark: #1d3350;
  }
}
* { box-sizing: border-box }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); min-height: 100vh }
nav { background: var(--panel); border-right: 1px solid var(--line); padding: 1.25rem 1rem }
nav > div { position: sticky; top: 1.25rem; max-height: calc(100vh - 2.5rem); overflow-y: auto }
nav :is(input, label) { display: none }
nav .home { font-weight: 700; font-size: 1.05rem; color: var(--text) }
nav h2 {
  margin: 1.1rem 0 .25rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase;
  color: var(--soft); border: 0; padding: 0;
}
nav ul { list-style: none; margin: 0; padding: 0; font-size: .94rem }
nav li a { display: block; padding: .14rem .5rem; border-radius: 5px; color: var(--text) }
nav li a[aria-current] { background: var(--mark); color: var(--link); font-weight: 600 }
main { padding: 1.5rem 2.5rem 4rem; max-width: 58rem; width: 100% }
h1, h2, h3 { overflow-wrap: anywhere }
h1 { font-size: 2rem; line-height: 1.2; margin: .5rem 0 1rem }
h2 { font-size: 1.4rem; margin: 2.2rem 0 .6rem; padding-top: .4rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 1.6rem 0 .4rem }
.anchor { margin-left: .4rem; color: var(--soft); opacity: 0; font-weight: 400 }
:is(h1, h2, h3):hover .anchor, .anchor:focus { opacity: 1 }
code { font: .88em ui-monospace, 'SF Mono', Menlo, Consolas, monospace }
:not(pre) > code {
  background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: .06em .3em;
  overflow-wrap: anywhere;
}
pre {
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; overflow-x: auto; line-height: 1.45;
}
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .93rem; margin: .6rem 0 }
th, td {
  border-bottom: 1px solid var(--line); padding: .4rem .9rem .4rem 0; text-align: left;
  vertical-align: top;
}
.wide td > code:only-child { white-space: nowrap }
.picture { display: block; overflow-x: auto; margin: 1rem 0 }
.picture img { width: 100%; min-width: 40rem; height: auto }
.turn {
  display: flex; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1rem;
  border-top: 1px solid var(--line);
}
@media (max-width: 60rem) {
  .frame { display: block }
  nav { border-right: 0; border-bottom: 1px solid var(--line); padding: .7rem 1rem }
  nav > div { position: static; max-height: none }
  nav > div { display: flex; flex-wrap: wrap; justify-content: space-between }
  nav input { display: block; position: absolute; opacity: 0 }
  nav label { display: block; cursor: pointer; color: var(--link) }
  nav input:focus-visible + label { outline: 2px solid var(--link); outline-offset: 3px }
  nav .menu { display: none; flex-basis: 100% }
  nav input:checked ~ .menu { display: block }
  main { padding: 1rem 1rem 3rem }
  h1 { font-size: 1.6rem }
  pre { padding: .7rem .8rem; font-size: .93em }
}
@media print { nav, .turn, .anchor { display: none } .frame { display: block } }
`
