// Controls for the value of a setting: each is made for a part of its JSON schema, shows the text
// about it, and reads the value that the user has entered.
import { about, bodySchema, h, type JsonSchema, readJson, ServerError } from '../parts/index.ts'
import { acceptsNull, isMerged, linesOf, valueKind } from './value-kind.ts'
import { Rows } from './value-rows.ts'

export type ValueControl = {
  readonly element: HTMLElement
  /**
   * Returns the value. undefined: nothing was entered where nothing was. @throws SyntaxError if a part
   * that is JSON is not valid
   */
  readonly read: () => unknown
}

type Part = {
  readonly schema: JsonSchema
  readonly value: unknown
  /** The name that screen readers announce. */
  readonly label: string
  /** True below an array, whose objects are sent as a whole. */
  readonly isWhole: boolean
}

const LINES_MAX = 12
/** Names of texts that have several lines. */
const LONG_TEXT = /template|description|prompt/i

type Schemas = { readonly [setting: string]: JsonSchema }

/** Returns the schema of each setting, or none if the server does not describe its API. */
export const settingSchemas = (): Promise<Schemas> =>
  bodySchema('patch', '/indexes/{indexUid}/settings').catch((error: unknown) => {
    if (!(error instanceof ServerError)) throw error
    return {}
  })

export function valueControl(schema: JsonSchema, value: unknown, label: string): ValueControl {
  return controlOf({ schema, value, label, isWhole: false })
}

function controlOf(part: Part): ValueControl {
  switch (valueKind(part.schema, part.value)) {
    case 'flag':
      return flag(part)
    case 'choice':
      return choice(part)
    case 'number':
      return number(part)
    case 'text':
      return text(part)
    case 'lines':
      return lines(part)
    case 'list':
      return list(part)
    case 'members':
      return members(part)
    case 'map':
      return map(part)
    case 'json':
      return json(part)
  }
}

/** Returns the entered value, or for an empty field null if there was a value before. */
const entered = (isEmpty: boolean, value: unknown, before: unknown): unknown =>
  !isEmpty ? value : before === undefined ? undefined : null

function flag({ value, label }: Part): ValueControl {
  const box = h('input', { type: 'checkbox', 'aria-label': label, checked: value === true })
  const read = (): unknown => (value === undefined && !box.checked ? undefined : box.checked)
  return { element: box, read }
}

function choice({ schema, value, label }: Part): ValueControl {
  const words = (schema.enum ?? []).filter((word) => word !== null).map(String)
  const select = h(
    'select',
    { 'aria-label': label },
    acceptsNull(schema) ? h('option', { value: '' }, 'default') : null,
    words.map((word) => h('option', { value: word, selected: word === value }, word)),
  )
  return { element: select, read: () => entered(select.value === '', select.value, value) }
}

function number({ schema, value, label }: Part): ValueControl {
  const input = h('input', {
    type: 'number',
    'aria-label': label,
    step: [schema.type].flat().includes('integer') ? 1 : 'any',
    min: schema.minimum,
    max: schema.maximum,
    value,
  })
  return { element: input, read: () => entered(input.value === '', Number(input.value), value) }
}

function text({ value, label }: Part): ValueControl {
  const before = typeof value === 'string' ? value : ''
  const isLong = before.includes('\n') || LONG_TEXT.test(label)
  const name = { 'aria-label': label, spellcheck: 'false' }
  const input = isLong
    ? h('textarea', { ...name, class: 'code', rows: 3 })
    : h('input', { ...name, type: 'text', autocomplete: 'off' })
  input.value = before
  return { element: input, read: () => entered(input.value === '', input.value, value) }
}

function lines({ value, label }: Part): ValueControl {
  const before = Array.isArray(value) ? (value as readonly string[]) : []
  const area = h('textarea', {
    class: 'code',
    'aria-label': `${label}, one a line`,
    placeholder: 'one a line',
    spellcheck: 'false',
    rows: Math.min(LINES_MAX, before.length + 2),
  })
  area.value = before.join('\n')
  const read = (): unknown => {
    const found = linesOf(area.value)
    return Array.isArray(value) ? found : entered(found.length === 0, found, value)
  }
  return { element: area, read }
}

function json({ value, label }: Part): ValueControl {
  const area = h('textarea', {
    class: 'code',
    'aria-label': `${label} as JSON`,
    spellcheck: 'false',
    rows: 3,
  })
  area.value = value === undefined || value === null ? '' : JSON.stringify(value, null, 2)
  const read = (): unknown => {
    if (area.value.trim() === '') return entered(true, null, value)
    const found = readJson(area.value)
    if (found.error !== null) throw new SyntaxError(`${label}: ${found.error}`)
    return found.value
  }
  return { element: area, read }
}

function members({ schema, value, label, isWhole }: Part): ValueControl {
  const before = (value ?? {}) as { readonly [name: string]: unknown }
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const part = { schema: member, value: before[name], label: `${label} ${name}`, isWhole }
    return { name, text: member.description, control: controlOf(part) }
  })
  const isSet = ({ name }: { readonly name: string }): boolean => before[name] !== undefined
  // Objects have many members that few need: these are behind a summary once others are set.
  const shown = rows.some(isSet) ? rows.filter(isSet) : rows
  const others = rows.filter((row) => !shown.includes(row))
  const field = ({ name, text, control }: (typeof rows)[number]): HTMLElement =>
    h(
      'div',
      { class: 'member' },
      h('span', { class: 'member-name' }, h('code', {}, name)),
      about(text),
      control.element,
    )
  const read = (): unknown => {
    const found: { [name: string]: unknown } = {}
    for (const { name, control } of rows) {
      const now = control.read()
      const isSame = !isWhole && isMerged(schema) && isEqual(now, before[name])
      if (now !== undefined && !isSame) found[name] = now
    }
    return isNone(value) && Object.keys(found).length === 0 ? value : found
  }
  const more =
    others.length === 0
      ? null
      : h(
          'details',
          {},
          h('summary', {}, `${others.length} more`),
          h('div', { class: 'value-members' }, others.map(field)),
        )
  return { element: h('div', { class: 'value-members' }, shown.map(field), more), read }
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function list({ schema, value, label }: Part): ValueControl {
  const before = Array.isArray(value) ? (value as readonly unknown[]) : []
  const add = (one: unknown): HTMLElement => {
    const control = controlOf({ schema: schema.items ?? {}, value: one, label, isWhole: true })
    return rows.add([control.element], () => control.read() ?? {})
  }
  const rows = new Rows<unknown>(label, () => add(undefined))
  for (const one of before) add(one)
  const read = (): unknown => {
    const found = rows.values()
    return Array.isArray(value) ? found : entered(found.length === 0, found, value)
  }
  return { element: rows.element, read }
}

function map({ schema, value, label, isWhole }: Part): ValueControl {
  const before = (value ?? {}) as { readonly [name: string]: unknown }
  const member = schema.additionalProperties as JsonSchema
  const add = (name: string, one: unknown): HTMLElement => {
    const key = h('input', {
      type: 'text',
      value: name,
      required: true,
      placeholder: 'name',
      'aria-label': `Name in ${label}`,
      spellcheck: 'false',
    })
    const part = { schema: member, value: one, label: `${label} ${name}`, isWhole }
    const control = controlOf(part)
    return rows.add([key, control.element], () => [key.value, control.read() ?? emptyOf(member)])
  }
  const rows = new Rows<readonly [string, unknown]>(label, () => add('', undefined))
  for (const [name, one] of Object.entries(before)) add(name, one)
  const read = (): unknown => {
    const found = Object.fromEntries(rows.values())
    // The server keeps a member of an object until it is null.
    for (const name of acceptsNull(member) ? Object.keys(before) : []) found[name] ??= null
    return isNone(value) && Object.keys(found).length === 0 ? value : found
  }
  return { element: rows.element, read }
}

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Returns the value of a new row in which nothing was entered. */
function emptyOf(schema: JsonSchema): unknown {
  const kind = valueKind(schema, undefined)
  return kind === 'lines' ? [] : kind === 'members' ? {} : null
}
