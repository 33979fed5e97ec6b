// The parts of templates: budgets, sizes, jobs, arithmetic, the names that a document has.
import { describe, expect, it, test } from 'vitest'
import { DEPTH_MAX } from '../../../format/json/index.ts'
import { Budget } from './budget.ts'
import { TemplateFault } from './fault.ts'
import { arithmetic, dividedBy, modulo } from './filter-checks.ts'
import { runTemplateJob, type TemplateInput, textPaths } from './job.ts'
import {
  FAULT_LENGTH_MAX,
  INPUT_LENGTH_MAX,
  INPUT_VALUES_MAX,
  RENDER_MEMORY_MAX,
  REQUEST_MS_MAX,
  SOURCE_VALUES_MAX,
  TEMPLATE_LENGTH_MAX,
  TEXTS_LENGTH_MAX,
} from './limits.ts'
import { parseTemplate } from './liquid.ts'
import { documentScope } from './scope.ts'
import { sizeOfInput, sizeOfSource } from './size.ts'
import { TemplateThread, templatesInPlace } from './thread.ts'

const faultOf = (work: () => unknown): { readonly kind: string; readonly words: string } => {
  try {
    work()
  } catch (error) {
    if (error instanceof TemplateFault) return error
    throw error
  }
  return { kind: 'none', words: '' }
}

describe('a budget', () => {
  it('has so many characters of texts, each and together', () => {
    const budget = new Budget()
    budget.addText(TEMPLATE_LENGTH_MAX)
    expect(faultOf(() => budget.addText(TEMPLATE_LENGTH_MAX + 1))).toMatchObject({
      kind: 'parsing',
      words: `a template has at most ${TEMPLATE_LENGTH_MAX} characters, not ${TEMPLATE_LENGTH_MAX + 1}\n`,
    })
    const many = new Budget()
    for (let i = 0; i < TEXTS_LENGTH_MAX / TEMPLATE_LENGTH_MAX; i++)
      many.addText(TEMPLATE_LENGTH_MAX)
    expect(faultOf(() => many.addText(1))).toMatchObject({
      kind: 'parsing',
      words: `all templates of a request have at most ${TEXTS_LENGTH_MAX} characters\n`,
    })
  })

  it('has so much output; nothing and less than nothing are free', () => {
    const budget = new Budget()
    budget.use(RENDER_MEMORY_MAX)
    for (const free of [0, -5, Number.NaN]) budget.use(free)
    expect(faultOf(() => budget.use(1))).toMatchObject({ kind: 'rendering' })
  })

  it('has so much time', () => {
    let ms = REQUEST_MS_MAX
    const budget = new Budget({ workedMs: () => ms })
    budget.checkTime('parsing')
    ms++
    expect(faultOf(() => budget.checkTime('parsing'))).toMatchObject({
      kind: 'parsing',
      words: `the templates of a request take at most ${REQUEST_MS_MAX} ms\n`,
    })
    expect(faultOf(() => budget.checkTime('rendering')).kind).toBe('rendering')
  })
})

describe('a size', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 'x'
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
    return value
  }
  it.each<[unknown, number]>([
    ['abc', 3],
    [{ ab: 'c', d: ['e', 1, null, true] }, 5],
    [[], 0],
    [null, 0],
  ])('%j has %d characters', (value, size) => {
    expect([sizeOfSource(value), sizeOfInput(value)]).toEqual([size, size])
  })

  it('is limited in values, characters and levels', () => {
    const list = (values: number) => Array(values - 1).fill(1)
    for (const [sizeOf, values, characters, kind, subject] of [
      [sizeOfSource, SOURCE_VALUES_MAX, TEXTS_LENGTH_MAX, 'parsing', 'a template'],
      [sizeOfInput, INPUT_VALUES_MAX, INPUT_LENGTH_MAX, 'rendering', 'an inline input'],
    ] as const) {
      expect(sizeOf(list(values))).toBe(0)
      expect(faultOf(() => sizeOf(list(values + 1)))).toMatchObject({
        kind,
        words: `${subject} has at most ${values} values\n`,
      })
      expect(sizeOf('x'.repeat(characters))).toBe(characters)
      expect(faultOf(() => sizeOf('x'.repeat(characters + 1)))).toMatchObject({
        kind,
        words: `${subject} has at most ${characters} characters\n`,
      })
      expect(sizeOf({ ['x'.repeat(characters)]: 1 })).toBe(characters)
      expect(faultOf(() => sizeOf({ ['x'.repeat(characters)]: 'y' })).kind).toBe(kind)
      expect(sizeOf(nested(DEPTH_MAX))).toBeGreaterThan(0)
      expect(faultOf(() => sizeOf(nested(DEPTH_MAX + 1)))).toMatchObject({
        words: `${subject} has at most ${DEPTH_MAX} levels\n`,
      })
    }
  })
})

describe('a job', () => {
  const run = async (source: unknown, input: TemplateInput | null) => {
    const outcome = await runTemplateJob({ source, input })
    return outcome.kind === 'fault' ? outcome : JSON.parse(Buffer.from(outcome.json).toString())
  }
  const doc = { kind: 'document', doc: { a: 'x', b: 2 } } as const

  it('renders each text of a value, in place', async () => {
    const source = {
      one: '{{doc.a}}',
      list: ['{{doc.b}}', 7, null, { two: '-{{doc.a}}-' }],
      no: true,
    }
    expect(await run(source, doc)).toEqual({
      template: source,
      rendered: { one: 'x', list: ['2', 7, null, { two: '-x-' }], no: true },
    })
    expect(await run(source, null)).toEqual({ template: source, rendered: null })
    expect(await run('{{doc.a}}', doc)).toEqual({ template: '{{doc.a}}', rendered: 'x' })
  })

  it('reads a stored document, and the parts of a search', async () => {
    const json = Buffer.from('{"a":712345678901234561,"b":1}')
    const names = '{% for f in fields %}{% if f.is_searchable %}{{f.name}}{% endif %}{% endfor %}'
    const stored = { kind: 'stored', json, searchable: ['b'] } as const
    expect((await run(`${names} {{doc.a}}`, stored)).rendered).toBe('b 712345678901234561')
    const search = { kind: 'search', scope: { q: 'moon' } } as const
    expect((await run('{{q}}', search)).rendered).toBe('moon')
  })

  it('names the text with the fault', async () => {
    expect(await run(['ok', 'ok', '{{'], null)).toMatchObject({ during: 'parsing', at: 2 })
    expect(await run({ a: '{{doc.a}}', b: ['{{doc.none}}'] }, doc)).toMatchObject({
      during: 'rendering',
      at: 1,
    })
    expect(await run(['{{doc.none}}'], doc)).toMatchObject({ kind: 'fault', at: 0 })
    expect([...textPaths({ a: 'x', b: ['y', 1, { c: 'z' }], d: null })]).toEqual([
      '.a',
      '.b[0]',
      '.b[2].c',
    ])
    expect([...textPaths('x')]).toEqual([''])
  })

  it('has one budget for all texts', async () => {
    const text = 'x'.repeat(TEMPLATE_LENGTH_MAX - 1)
    const texts = Array.from({ length: 5 }, (_, i) => text + i)
    expect(await run(texts, null)).toMatchObject({ during: 'parsing', at: 4 })
    // A repeated text is parsed once.
    expect(await run(Array(5).fill(text), null)).toMatchObject({ rendered: null })
  })
})

describe('a scope', () => {
  it.each<[readonly string[] | null, readonly boolean[]]>([
    [null, [true, true, true]],
    [['*'], [true, true, true]],
    [['a'], [true, false, false]],
    [
      ['b', 'x'],
      [false, true, false],
    ],
    [[], [false, false, false]],
  ])('with searchable fields %j', (searchable, flags) => {
    const { doc, fields } = documentScope({ a: 1, b: 2, ab: 3 }, searchable)
    expect(doc).toEqual({ a: 1, b: 2, ab: 3 })
    expect(fields).toEqual([
      { name: 'a', value: 1, is_searchable: flags[0] },
      { name: 'b', value: 2, is_searchable: flags[1] },
      { name: 'ab', value: 3, is_searchable: flags[2] },
    ])
  })
})

describe('arithmetic', () => {
  it.each([
    [7, 2, 3, 1],
    [-7, 2, -4, 1],
    [7, -2, -4, -1],
    [7.5, 2, 3.75, 1.5],
    ['9', '3', 3, 0],
    [1, 0.5, 2, 0],
  ])('%s by %s', (value, by, quotient, rest) => {
    expect([dividedBy(value, by), modulo(value, by) + 0]).toEqual([quotient, rest])
  })

  it('refuses zero', () => {
    for (const [work, name] of [
      [dividedBy, 'divided_by'],
      [modulo, 'modulo'],
    ] as const) {
      const { kind, words } = faultOf(() => work(1, '0'))
      expect(kind).toBe('rendering')
      expect(words).toContain(`filter=${name} : 0\n    input=1`)
    }
  })

  it('takes numbers, and texts that are numbers', () => {
    const sum = arithmetic('plus', (a, b) => Number(a) + Number(b))
    expect([sum.call(null, 1, '2'), sum.call(null, ' 1 ', -2.5)]).toEqual([3, -1.5])
    for (const wrong of ['x', '', ' ', 'Infinity', null, undefined, true, [1]]) {
      expect(faultOf(() => sum.call(null, wrong, 1)).words).toMatch(/^Invalid input\n/)
      expect(faultOf(() => sum.call(null, 1, wrong)).words).toMatch(/^Invalid argument\n/)
    }
    const self = arithmetic('x', function (this: unknown) {
      return this
    })
    expect(self.call(5, 1)).toBe(5)
  })
})

test.each([
  ['{{ doc.t | truncate: 4 }}', 'a...'],
  ['{{ doc.t | replace: "b", "-" }}', 'a-c d'],
  ['{{ doc.t | split: " " | last }}', 'd'],
  ['{{ doc.none | default: "z" }}', 'z'],
  ['{{ doc.l | sort | join: "," }}', '1,2,3'],
  ['{{ doc.l | size }}{{ doc.l | first }}', '33'],
  ['{{ doc.t | url_encode }}', 'abc+d'],
  ['{{ 5 | at_most: 3 }}{{ 5 | at_least: 9 }}', '39'],
  ['{{ 2.5 | round }}{{ -1 | abs }}{{ 1.2 | ceil }}{{ 1.8 | floor }}', '3121'],
  ['{% capture x %}{{ doc.t }}{% endcapture %}[{{ x }}]', '[abc d]'],
  ['{% case doc.t %}{% when "abc d" %}y{% else %}n{% endcase %}', 'y'],
  ['{{ doc.flag }}{{ doc.o }}', 'falsek1'],
])('%s', async (text, expected) => {
  const template = await parseTemplate(text)
  const doc = { t: 'abc d', none: null, l: [3, 1, 2], flag: false, o: { k: 1 } }
  expect(await template({ doc })).toBe(expected)
})

test.each([
  ['{% for a in (1..3) %}{{ a }}{% break %}{% endfor %}', '1'],
  ['{% increment n %}{% increment n %}', '01'],
  ['{% cycle "a", "b" %}', 'a'],
])('%s is allowed', async (text, expected) => {
  expect(await (await parseTemplate(text))({})).toBe(expected)
})

test.each(['include', 'render', 'layout', 'block', 'echo', 'liquid'])(
  'the tag %s is unknown',
  async (tag) => {
    await expect(parseTemplate(`{% ${tag} "x" %}`)).rejects.toMatchObject({ kind: 'parsing' })
  },
)

test('output counts for the budget of its request', async () => {
  const template = await parseTemplate('{{ doc.t }}{{ doc.t }}')
  const doc = { t: 'x'.repeat(RENDER_MEMORY_MAX / 2) }
  expect(await template({ doc })).toHaveLength(RENDER_MEMORY_MAX)
  const budget = new Budget()
  budget.use(1)
  await expect(template({ doc }, budget)).rejects.toMatchObject({ kind: 'rendering' })
})

test('a fault quotes so many characters', () => {
  const most = 'x'.repeat(FAULT_LENGTH_MAX)
  const words = [most, `${most}y`].map((text) => {
    const fault = new TemplateFault('parsing', text)
    expect(fault.message).toBe(fault.words)
    return fault.words
  })
  expect(words).toEqual([most, `${most}…\n`])
})

test('templates that are too large have their fault as the outcome, with and without a thread', async () => {
  const thread = new TemplateThread(new URL('file:///nothing'))
  const source = Array(SOURCE_VALUES_MAX + 1).fill(1)
  for (const templates of [templatesInPlace, thread]) {
    const outcome = await templates.run({ source, input: null })
    expect(outcome).toMatchObject({ kind: 'fault', during: 'parsing' })
    await templates.close()
  }
  const outcome = await templatesInPlace.run({ source: 'a', input: null })
  expect(outcome.kind).toBe('rendered')
})
