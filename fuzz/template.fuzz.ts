// Templates of documents: any text renders to a text within its limits, or is refused with a
// message. The first byte selects the length of the document's texts.

import { TemplateFault } from '../engine/ai/template/index.ts'
import { parseTemplate } from '../engine/ai/template/liquid.ts'
import type { FuzzTarget } from './target.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(`a${text}`)

export const target: FuzzTarget = {
  name: 'template',
  seeds: () =>
    [
      '{{ doc.title }} of {{ doc.year | plus: 1 }}',
      '{% for field in fields %}{% if field.is_searchable %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}',
      "{% assign t = doc.tags | sort | join: ', ' %}{{ t | truncatewords: 3 | upcase }}",
      '{% case doc.year %}{% when 1999 %}x{% else %}{% raw %}{{{% endraw %}{% endcase %}',
      '{% for i in (1..100) %}{% cycle 1, 2 %}{% endfor %}{{ doc.nested.deep[0] }}',
    ].map(bytesOf),
  run,
  allows: (error) => error instanceof TemplateFault,
  inputBytesMax: 2048,
  words: [
    '{{',
    '}}',
    '{%',
    '%}',
    'doc.title',
    '| size',
    '| split: ""',
    'for x in',
    'endfor',
    'else',
  ],
}

async function run(input: Uint8Array): Promise<void> {
  const template = await parseTemplate(new TextDecoder().decode(input.subarray(1)))
  const title = 'The Quiet Harbour '.repeat(1 + ((input[0] ?? 0) % 50))
  const doc = { title, year: 1999, tags: ['sea', 'drama'], nested: { deep: [null, true, 1.5] } }
  const fields = Object.entries(doc).map(([name, value]) => ({ name, value, is_searchable: true }))
  const text = await template({ doc, fields })
  if (typeof text !== 'string') throw new TypeError('a template gives a text')
}
