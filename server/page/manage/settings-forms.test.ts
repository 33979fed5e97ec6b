// The form of a setting and the controls of its values, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JsonSchema } from '../parts/index.ts'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { SettingsEditor } from './settings-editor.ts'
import { buttonOf, type Field, fieldsOf, taskAnswer } from './test-site.ts'
import { valueControl } from './value-control.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

const SETTINGS = 'PATCH /indexes/films/settings'

describe('the control of a value', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } }
  const LISTED: JsonSchema = { type: 'array', items: inner }
  const MAPPED: JsonSchema = { type: 'object', additionalProperties: { type: ['string', 'null'] } }

  /** The fields of a control; one that is the control itself stands alone. */
  const made = (schema: JsonSchema, value: unknown) => {
    const control = valueControl(schema, value, 'name')
    const own = control.element as Field
    const fields = 'value' in own && own.localName !== 'div' ? [own] : fieldsOf(own)
    return { ...control, fields }
  }

  it.each<[JsonSchema, unknown, string, unknown]>([
    [{ type: 'integer' }, 3, '5', 5],
    [{ type: 'integer' }, 3, '', null],
    [{ type: 'integer' }, undefined, '', undefined],
    [{ type: 'string' }, 'a', 'b', 'b'],
    [{ type: 'string' }, undefined, '', undefined],
    [{ type: 'string', enum: ['x', 'y'] }, 'x', 'y', 'y'],
    [{ type: ['string', 'null'], enum: ['x', null] }, 'x', '', null],
    [{ type: 'array', items: { type: 'string' } }, ['a'], 'b\n\nc', ['b', 'c']],
    [{ type: 'array', items: { type: 'string' } }, ['a'], '', []],
    [{ type: 'array', items: { type: 'string' } }, undefined, '', undefined],
    [{ type: 'array', items: { type: 'string' } }, undefined, 'b', ['b']],
    [{ type: ['array', 'null'], items: { type: 'string' } }, null, '', null],
    [{}, { a: 1 }, '{"a":2}', { a: 2 }],
    [{}, { a: 1 }, ' ', null],
    [{}, undefined, '', undefined],
  ])('%j of %j: %j is read as %j', (schema, before, text, value) => {
    const { fields, read } = made(schema, before)
    const own = before === undefined || before === null ? (before ?? undefined) : before
    expect(read() ?? undefined).toEqual(own)
    fields[0]!.value = text
    expect(read()).toEqual(value)
  })

  it('of a flag distinguishes one that was never set', () => {
    for (const [before, unticked] of [
      [undefined, undefined],
      [true, false],
      [null, false],
    ] as const) {
      const { fields, read } = made({ type: 'boolean' }, before)
      const box = fields[0] as HTMLInputElement
      expect(box.checked).toBe(before === true)
      box.checked = false
      expect(read()).toBe(unticked)
      box.checked = true
      expect(read()).toBe(true)
    }
  })

  it('has the form of its value: bounds, steps, lines', () => {
    const attributes = (schema: JsonSchema, value: unknown) => {
      const { localName, attributes } = made(schema, value).fields[0]!
      return [
        localName,
        Object.fromEntries([...attributes].map(({ name, value }) => [name, value])),
      ]
    }
    expect(attributes({ type: 'integer', minimum: 1, maximum: 9 }, 3)).toEqual([
      'input',
      { type: 'number', 'aria-label': 'name', step: '1', min: '1', max: '9', value: '3' },
    ])
    expect(attributes({ type: ['number', 'null'] }, null)).toMatchObject(['input', { step: 'any' }])
    expect(attributes({ type: 'string' }, 'a')[0]).toBe('input')
    expect(attributes({ type: 'string' }, 'a\nb')[0]).toBe('textarea')
    expect(valueControl({ type: 'string' }, 'a', 'the prompt').element.localName).toBe('textarea')
    const texts: JsonSchema = { type: 'array', items: { type: 'string' } }
    expect(attributes(texts, ['a', 'b'])).toMatchObject(['textarea', { rows: '4' }])
    expect(attributes(texts, Array(40).fill('a'))).toMatchObject(['textarea', { rows: '12' }])
  })

  it('that is JSON refuses other texts, with its name', () => {
    const { fields, read } = made({}, { a: 1 })
    expect(fields[0]!.value).toBe('{\n  "a": 1\n}')
    fields[0]!.value = '{'
    expect(read).toThrow(SyntaxError)
    expect(read).toThrow(/^name: This is not valid JSON/)
  })

  it('of an object reads the changed members alone, and folds those that were never set', () => {
    const { element, fields, read } = made(inner, { a: 'x' })
    expect(read()).toEqual({})
    expect(element.querySelector('summary')!.textContent).toBe('1 more')
    expect(fields.map((one) => one.getAttribute('aria-label'))).toEqual(['name a', 'name b'])
    fields[1]!.value = '4'
    expect(read()).toEqual({ b: 4 })
    fields[0]!.value = ''
    expect(read()).toEqual({ a: null, b: 4 })
    const fresh = made(inner, undefined)
    expect(fresh.element.querySelector('details')).toBeNull()
    expect(fresh.read()).toBeUndefined()
    expect(made({ ...inner, type: ['object', 'null'] }, null).read()).toBeNull()
    const whole = made({ ...inner, required: ['a'] }, { a: 'x', b: 2 })
    expect(whole.read()).toEqual({ a: 'x', b: 2 })
  })

  it('of a list has rows, which are added and removed, and read as whole objects', () => {
    const { element, read } = made(LISTED, [{ a: 'x' }, { a: 'y', b: 1 }])
    expect(read()).toEqual([{ a: 'x' }, { a: 'y', b: 1 }])
    document.body.append(element)
    buttonOf(element, 'Remove').click()
    expect(document.activeElement).toBe(buttonOf(element, 'Add'))
    expect(read()).toEqual([{ a: 'y', b: 1 }])
    buttonOf(element, 'Add').click()
    const rows = [...element.querySelectorAll('.value-row')]
    expect(rows).toHaveLength(2)
    expect(rows[1]!.contains(document.activeElement)).toBe(true)
    expect(read()).toEqual([{ a: 'y', b: 1 }, {}])
    fieldsOf(rows[1] as HTMLElement)[0]!.value = 'z'
    expect(read()).toEqual([{ a: 'y', b: 1 }, { a: 'z' }])
    for (const row of rows) buttonOf(row as HTMLElement, 'Remove').click()
    expect(read()).toEqual([])
    expect(made({ ...LISTED, type: ['array', 'null'] }, undefined).read()).toBeUndefined()
  })

  it('of a map reads names and values; a removed name is null where the server keeps names', () => {
    const { element, read } = made(MAPPED, { k: 'v', l: 'w' })
    expect(read()).toEqual({ k: 'v', l: 'w' })
    buttonOf(element, 'Remove').click()
    expect(read()).toEqual({ k: null, l: 'w' })
    buttonOf(element, 'Add').click()
    const added = fieldsOf(element).at(-2)!
    added.value = 'm'
    expect(read()).toEqual({ k: null, l: 'w', m: null })
    const replaced = made({ type: 'object', additionalProperties: { type: 'string' } }, { k: 'v' })
    buttonOf(replaced.element, 'Remove').click()
    expect(replaced.read()).toEqual({})
    expect(made(MAPPED, undefined).read()).toBeUndefined()
  })

  it.each<[JsonSchema, unknown]>([
    [{ type: 'array', items: { type: 'string' } }, []],
    [inner, {}],
    [{ type: 'integer' }, null],
  ])('of a map of %j has an empty value in a new row: %j', (schema, empty) => {
    const { element, read } = made({ type: 'object', additionalProperties: schema }, {})
    buttonOf(element, 'Add').click()
    expect(read()).toEqual({ '': empty })
  })
})

describe('the editor of a setting', () => {
  const STOP_WORDS: JsonSchema = { type: ['array', 'null'], items: { type: 'string' } }
  const edit = (name: string | null, value: unknown, schema: JsonSchema | null = null) => {
    const close = vi.fn<() => void>()
    const editor = new SettingsEditor({ index: 'films', name, value, schema, close })
    const { element } = editor
    document.body.append(element)
    const area = (): HTMLTextAreaElement => element.querySelector('textarea')!
    const refusal = (): string | null => {
      const error = element.querySelector<HTMLElement>('[role=alert]')!
      return error.hidden ? null : error.textContent
    }
    return { editor, element, close, area, refusal }
  }

  it('sends one setting as JSON, and closes when the task has succeeded', async () => {
    const asked = stubServer({ [SETTINGS]: { taskUid: 4 }, 'GET /tasks/4': taskAnswer({ uid: 4 }) })
    const { element, area, close, refusal } = edit('stopWords', ['a'])
    expect(area().value).toBe('[\n  "a"\n]')
    expect(area().getAttribute('rows')).toBe('4')
    area().value = '["b"]'
    act(element, 'submit')
    expect([area().readOnly, buttonOf(element, 'Save').disabled]).toEqual([true, true])
    await settled()
    expect(asked[0]).toEqual([SETTINGS, { stopWords: ['b'] }])
    expect(close).toHaveBeenCalledTimes(1)
    expect(refusal()).toBeNull()
  })

  it('shows why it was refused: by the text, by the server, by the task', async () => {
    const asked = stubServer({})
    const { element, area, close, refusal } = edit('stopWords', ['a'])
    area().value = '["b",]'
    act(element, 'submit')
    expect(refusal()).toMatch(/^This is not valid JSON/)
    expect(asked).toEqual([])
    expect(area().getAttribute('aria-invalid')).toBe('true')
    area().value = '["b"]'
    act(element, 'submit')
    expect(refusal()).toBeNull()
    expect(area().getAttribute('aria-invalid')).toBeNull()
    await settled()
    expect(refusal()).toBe(`no ${SETTINGS}`)
    expect([area().readOnly, buttonOf(element, 'Save').disabled]).toEqual([false, false])
    for (const [task, words] of [
      [{ status: 'failed', error: { message: 'too long' } }, 'too long'],
      [{ status: 'canceled', error: null }, 'The task was canceled.'],
    ] as const) {
      stubServer({ [SETTINGS]: { taskUid: 4 }, 'GET /tasks/4': taskAnswer({ uid: 4, ...task }) })
      act(element, 'submit')
      await settled()
      expect(refusal()).toBe(words)
    }
    expect(close).not.toHaveBeenCalled()
  })

  it('of all settings sends an object, and cannot reset', async () => {
    const asked = stubServer({})
    const { element, area, refusal } = edit(null, { stopWords: [] })
    expect(area().ariaLabel).toBe('All settings as JSON')
    const hidden = ['Reset to default', 'Edit as JSON'].map(
      (text) => buttonOf(element, text).hidden,
    )
    expect(hidden).toEqual([true, true])
    area().value = '[]'
    act(element, 'submit')
    expect(refusal()).not.toBeNull()
    area().value = '{"stopWords":["a"]}'
    act(element, 'submit')
    await settled()
    expect(asked).toEqual([[SETTINGS, { stopWords: ['a'] }]])
  })

  it('resets one setting, by its form or as JSON', async () => {
    const asked = stubServer({})
    const { element } = edit('stopWords', ['a'], STOP_WORDS)
    buttonOf(element, 'Reset to default').click()
    await settled()
    expect(asked).toEqual([[SETTINGS, { stopWords: null }]])
  })

  it('shows the form of a schema, or the same value as JSON', async () => {
    const asked = stubServer({})
    const { editor, element, area } = edit('stopWords', ['a'], STOP_WORDS)
    expect(area().value).toBe('a')
    editor.focus()
    expect(document.activeElement).toBe(area())
    area().value = 'a\nb'
    act(element, 'submit')
    await settled()
    expect(asked).toEqual([[SETTINGS, { stopWords: ['a', 'b'] }]])
    const asJson = buttonOf(element, 'Edit as JSON')
    expect(asJson.hidden).toBe(false)
    asJson.click()
    expect(asJson.hidden).toBe(true)
    expect(area().value).toBe('[\n  "a"\n]')
    expect(document.activeElement).toBe(area())
    expect(area().selectionStart).toBe(0)
  })

  it('of a schema shows what is not JSON in a part, and sends null for nothing', async () => {
    const asked = stubServer({})
    const { element, area, refusal } = edit('template', undefined, {})
    area().value = '{'
    act(element, 'submit')
    expect(refusal()).toMatch(/^template: This is not valid JSON/)
    area().value = ''
    act(element, 'submit')
    await settled()
    expect(asked).toEqual([[SETTINGS, { template: null }]])
  })

  it('is closed by a button; by Escape only if its JSON has not changed', () => {
    const { element, area, close } = edit('stopWords', ['a'])
    act(element, 'keydown', { key: 'x' })
    expect(close).not.toHaveBeenCalled()
    const before = area().value
    area().value = '[]'
    act(element, 'keydown', { key: 'Escape' })
    expect(close).not.toHaveBeenCalled()
    area().value = before
    act(element, 'keydown', { key: 'Escape' })
    expect(close).toHaveBeenCalledTimes(1)
    buttonOf(element, 'Cancel').click()
    expect(close).toHaveBeenCalledTimes(2)
    const form = edit('stopWords', ['a'], STOP_WORDS)
    act(form.element, 'keydown', { key: 'Escape' })
    expect(form.close).not.toHaveBeenCalled()
  })
})
