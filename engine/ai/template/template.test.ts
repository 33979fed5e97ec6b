// Templates: the texts they render from documents, and their faults.

import { expect, test } from 'vitest'
import { parsedForTemplate, TemplateFault } from './index.ts'
import { parseTemplate } from './liquid.ts'

const doc = { title: 'Moon', none: null, tags: ['x', 'y'], n: { a: 1, b: [2, null] }, f: 1.5 }

async function rendered(text: string, scope: { [name: string]: unknown } = { doc }) {
  const template = await parseTemplate(text)
  return template(scope)
}

test.each([
  ['', ''],
  ['T: {{doc.title}}{{doc.none}}', 'T: Moon'],
  ['{{doc.tags}} {{doc.n}} {{ doc.f }}', 'xy a1b2 1.5'],
  ['{% for t in doc.tags %}[{{t | upcase}}]{% endfor %}', '[X][Y]'],
  ['{% if doc.ghost %}a{% else %}b{% endif %}', 'b'],
  ['{% if doc.none != nil %}a{% endif %}', ''],
  ['{% assign no = false %}{% if no == nil %}a{% endif %}{% if nil != no %}b{% endif %}', 'a'],
  ['{% assign no = false %}{% if no == empty %}a{% endif %}{% if no != true %}b{% endif %}', 'b'],
  ['{{ 7 | divided_by: 2 }} {{ 7.5 | divided_by: 2 }}', '3 3.75'],
  ['{{ doc.title | slice: 1, 2 | append: "!" }}', 'oo!'],
  ['{{ "12" | plus: 1 }} {{ doc.f | times: 2 }} {{ -7 | modulo: 3 }}', '13 3 2'],
  ['{% if doc.none.x %}a{% else %}b{% endif %}', 'b'],
  ['{% for t in doc.tags reversed %}{{t}}{% endfor %}{{ doc.tags | join }}', 'yxx y'],
])('%s', async (text, expected) => {
  expect(await rendered(text)).toBe(expected)
})

test.each([
  ['{{doc.ghost}}', 'variable=doc\n    requested index=ghost\n    available indexes=title, none'],
  ['{{doc.n.x}}', 'variable=doc.n\n    requested index=x\n    available indexes=a, b'],
  ['{{q}}', 'Unknown variable\n  with:\n    requested variable=q'],
  ['{{ doc.constructor.name }}', 'requested index=constructor'],
  ['{{ doc.f | divided_by: 0 }}', "cause=Can't divide by zero"],
  ['{{ doc.f | modulo: 0 }}', "cause=Can't divide by zero"],
  ['{{ doc.none.x }}', 'variable=doc.none\n    requested index=x'],
  ['{{ doc.title | plus: 1 }}', 'cause=Number expected'],
  ['{{ doc.f | minus: doc.title }}', 'Invalid argument\n  with:\n    cause=Number expected'],
  ['{{ doc.none | abs }}', 'cause=Number expected'],
])('rendering %s fails', async (text, words) => {
  await expect(rendered(text)).rejects.toMatchObject({
    kind: 'rendering',
    words: expect.stringContaining(words),
  })
})

test.each([
  ['{{doc.title', ' --> 1:3\n  |\n1 | {{doc.title\n  |   ^---\n  |\n  = expected Literal\n'],
  ['a\n{% nope %}', ' --> 2:4\n  |\n2 | {% nope %}\n  |    ^--^\n  |\n  = Unknown tag.'],
  ['{{ doc.a | nope }}', 'Unknown filter\n  with:\n    requested filter=nope'],
  ['{{ doc | json }}', 'requested filter=json'],
  ['{% include "/etc/passwd" %}', 'Unknown tag'],
  ['{% layout "x" %}', 'Unknown tag'],
  ['{% if doc %}', 'not closed'],
  ['{{ doc.f | date }}', 'cause=expected at least 1 positional argument\n'],
  ['{{ doc.f | abs: 1 }}', 'cause=expected at most 0 positional arguments\n'],
  [
    '{% if doc %}{% for t in doc.tags %}{% assign x = t | append %}{% endfor %}{% endif %}',
    'append',
  ],
  ['x'.repeat(200_000), 'a template has at most 100000 characters, not 200000'],
])('parsing %.20s fails', async (text, words) => {
  await expect(parseTemplate(text)).rejects.toMatchObject({
    kind: 'parsing',
    words: expect.stringContaining(words),
  })
})

test('whole numbers that no double equals show all digits', async () => {
  const json =
    '{"id":712345678901234561,"l":[-9007199254740993, 9007199254740992,1e300,1234567890123456.5],' +
    '"t":"712345678901234561 \\"712345678901234561","712345678901234561":1}'
  const parsed = parsedForTemplate(json) as { readonly [name: string]: unknown }
  expect(parsed).toEqual({
    id: '712345678901234561',
    l: ['-9007199254740993', 2 ** 53, 1e300, 1234567890123456.5],
    t: '712345678901234561 "712345678901234561',
    '712345678901234561': 1,
  })
  const scope = { doc: parsed }
  expect(await rendered('{{ doc.id }} {{ doc.l[0] }}', scope)).toBe(
    '712345678901234561 -9007199254740993',
  )
})

test('a template that would not end is stopped', async () => {
  const loops = '{% for a in (1..900) %}{% for b in (1..900) %}{{a}}{{b}}{% endfor %}{% endfor %}'
  for (const text of [`${loops}${loops}${loops}`, '{% for a in (1..99999999) %}{% endfor %}']) {
    await expect(rendered(text.repeat(3))).rejects.toBeInstanceOf(TemplateFault)
  }
})
