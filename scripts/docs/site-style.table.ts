// The style of the documentation as a web site: light and dark, one column on narrow screens.

export const SITE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1f2933; --soft: #5b6875; --line: #dfe4ea; --panel: #f5f7fa;
  --link: #1d5fb0; --mark: #e6f0fb; --edge: #87919c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d; --text: #dfe4ea; --soft: #a0acb8; --line: #2c3641; --panel: #1a212a;
    --link: #7db7f5; --mark: #1d3350; --edge: #6d7883;
  }
}
* { box-sizing: border-box }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
a { color: var(--link); text-decoration: none }
a:hover, main :is(p, li, td) a:not(.anchor) { text-decoration: underline }
a { text-underline-offset: 3px; text-decoration-thickness: 1px }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); min-height: 100vh }
nav { background: var(--panel); border-right: 1px solid var(--line); padding: 1.25rem 1rem }
nav > div {
  position: sticky; top: 1.25rem; max-height: calc(100vh - 2.5rem);
  display: flex; flex-direction: column;
}
nav .menu { overflow-y: auto }
nav #menu, nav label { display: none }
nav .home { font-weight: 700; font-size: 1.05rem; color: var(--text) }
nav h2 {
  margin: 1.1rem 0 .25rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase;
  color: var(--soft); border: 0; padding: 0;
}
nav ul { list-style: none; margin: 0; padding: 0; font-size: .94rem }
nav li a { display: block; padding: .14rem .5rem; border-radius: 5px; color: var(--text) }
nav li a[aria-current] { background: var(--mark); color: var(--link); font-weight: 600 }
.find { position: relative; margin-top: .9rem }
.find input {
  width: 100%; height: 2.25rem; padding: 0 .65rem; font: inherit; color: inherit;
  background: var(--page); border: 1px solid var(--edge); border-radius: 7px;
}
.find input::placeholder { color: var(--soft); opacity: 1 }
.found {
  position: absolute; z-index: 2; top: calc(100% + .4rem); left: 0;
  width: min(38rem, calc(100vw - 2rem)); max-height: min(36rem, 75vh); overflow-y: auto;
  background: var(--page); border: 1px solid var(--edge); border-radius: 8px;
  box-shadow: 0 8px 28px #0003; padding: .35rem;
}
.found[hidden], .find-note:empty { display: none }
.found a { display: block; padding: .45rem .6rem; border-radius: 6px; color: var(--text) }
.found a:is(:hover, [aria-selected='true']) { background: var(--mark); text-decoration: none }
.found :is(b, small, span) { display: block; overflow-wrap: anywhere }
.found :is(small, span) { color: var(--soft); font-size: .86rem; line-height: 1.45 }
.found span { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden }
.found mark { background: none; color: var(--link); font-weight: 600 }
.find-note { margin: .4rem 0 0; color: var(--soft); font-size: .9rem }
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
  nav > div { position: relative; top: 0; max-height: none }
  nav > div { flex-flow: row wrap; justify-content: space-between }
  nav #menu { display: block; position: absolute; opacity: 0 }
  nav label { display: block; cursor: pointer; color: var(--link) }
  nav #menu:focus-visible + label { outline: 2px solid var(--link); outline-offset: 3px }
  nav .menu { display: none; flex-basis: 100% }
  nav #menu:checked ~ .menu { display: block }
  .find { order: 1; flex-basis: 100%; margin-top: .5rem }
  nav .menu { order: 2 }
  main { padding: 1rem 1rem 3rem }
  h1 { font-size: 1.6rem }
  pre { padding: .7rem .8rem; font-size: .93em }
}
@media print { nav, .turn, .anchor { display: none } .frame { display: block } }
`
