// All recorded scripts: their result for the document, or their fault.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  type Cell,
  readJsonText,
  ScriptFault,
  ScriptSyntaxError,
  type Value,
  writeJson,
} from './language/index.ts'
import { compileScript } from './script.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Step = {
  readonly path: string
  readonly body?: { readonly [name: string]: Json }
  readonly expect: { readonly status: number; readonly body: Json; readonly task?: Json }
}
type Conversation = { readonly name: string; readonly steps: readonly Step[] }

const file = new URL('../../fixtures/conversations/api.ndjson.gz', import.meta.url)
const conversations = gunzipSync(readFileSync(file))
  .toString()
  .trimEnd()
  .split('\n')
  .filter((line) => line.includes('documents-edit-'))
  .map((line) => JSON.parse(line) as Conversation)
  .filter(({ name }) => /^documents-edit-(?:lang|runtime|syntax)/.test(name))

const DOCUMENT = {
  n: 7,
  f: 2.5,
  s: 'Hello World',
  u: 'été 😀',
  l: [3, 1, 2],
  o: { a: 1, b: { c: 'x' } },
  b: true,
  z: null,
}
const BEFORE = /^Index `\w+`: /
const WHILE_RUNNING =
  /^Document edition runtime error encountered while running the function: (?<text>.*)$/s

/** Members of an object: of a task, of an answer. */
const member = (value: Json | undefined, name: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value[name] ?? null)
    : null

function scriptValue(json: Json): Value {
  return readJsonText(JSON.stringify(json)) ?? null
}

/** Runs a script on a recorded document. */
function outcome(script: string, id: number, context: Json): { text: string } | { doc: Json } {
  const cell = (name: string, value: Json, isConstant = false): Cell => ({
    name,
    value: scriptValue(value),
    isConstant,
  })
  const doc = cell('doc', { id, ...DOCUMENT })
  const variables = context === null ? [doc] : [doc, cell('context', context, true)]
  try {
    compileScript(script).run(variables, () => undefined)
    return { doc: JSON.parse(writeJson(doc.value)) as Json }
  } catch (error) {
    if (error instanceof ScriptFault || error instanceof ScriptSyntaxError) {
      return { text: error.message }
    }
    throw error
  }
}

/** Recorded floats are rounded. */
const near = (value: Json): Json => {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(5))
  if (Array.isArray(value)) return value.map(near)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, near(one)]))
}

for (const { name, steps } of conversations) {
  describe(name, () => {
    steps.forEach(({ path, body, expect: answer }, at) => {
      if (!path.endsWith('/documents/edit') || body === undefined) return
      const script = String(body['function'])
      test(`#${at} ${script.slice(0, 200)}`, () => {
        const id = Number(/^id = (\d+)$/.exec(String(body['filter'] ?? ''))?.[1] ?? 1)
        const is = outcome(script, id, body['context'] ?? null)
        if (answer.status !== 202) {
          expect(is).toEqual({ text: member(answer.body, 'message') })
          return
        }
        const error = member(answer.task, 'error')
        const message = String(member(error, 'message')).replace(BEFORE, '')
        if (error !== null) {
          const text = WHILE_RUNNING.exec(message)?.groups?.['text']
          // Other tests check faults of the resulting document.
          if (text !== undefined) expect(is).toEqual({ text })
          return
        }
        const next = steps[at + 1]
        const isShown = next?.path === `${path.replace('/edit', '')}/${id}`
        if (!isShown || next.expect.body === null) expect(is).toHaveProperty('doc')
        else expect(near((is as { doc: Json }).doc)).toEqual(near(next.expect.body))
      })
    })
  })
}
