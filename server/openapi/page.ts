// The description as a page that a browser shows without scripts: routes by subject, with what each
// reads and answers. Development alone has it.
import type { JsonSchema } from '../parse/index.ts'
import type { Description } from './describe.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
summary { cursor: pointer; padding: .25rem 0 }
code, pre { font: 14px/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, #0000) }
.verb { display: inline-block; min-width: 4.5rem; font-weight: 600 }
h2 { margin: 2rem 0 .5rem; text-transform: capitalize }
`

export function pageOf(description: Description): string {
  const sections = description.tags.map(({ name }) => section(description, String(name)))
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width"><title>Svc Search: the API</title>' +
    `<style>${STYLE}</style><h1>Svc Search: the API</h1>` +
    '<p>For programs: <a href="/openapi.json">openapi.json</a></p>' +
    `${sections.join('')}</html>`
  )
}

function section({ paths }: Description, tag: string): string {
  const entries: string[] = []
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if ((operation['tags'] as readonly string[]).includes(tag)) {
        entries.push(entry(method, path, operation))
      }
    }
  }
  return `<h2>${escaped(tag)}</h2>${entries.join('')}`
}

const entry = (method: string, path: string, operation: JsonSchema): string =>
  `<details><summary><code><span class="verb">${method.toUpperCase()}</span>${escaped(path)}` +
  `</code> ${escaped(String(operation['summary']))}</summary>` +
  `<pre>${escaped(JSON.stringify(operation, null, 2))}</pre></details>`

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

const escaped = (text: string): string => text.replace(/[&<>]/g, (found) => ENTITIES[found]!)
