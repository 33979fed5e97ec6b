// Shows one operation of the API: its summary, its parameters and body, its answers, and a form
// that sends a request.

import { about, type Child, h, type JsonSchema } from '../parts/index.ts'
import type { Operation, Parameter } from './api-description.ts'
import { membersOf, referenceOf, typeText } from './api-schema.ts'
import { TryForm } from './api-try.ts'

/** Builds the content when the entry is first unfolded, because there are many operations. */
export function operationEntry(operation: Operation): HTMLDetailsElement {
  const { id, method, path, summary } = operation
  let isMade = false
  const entry = h(
    'details',
    {
      class: 'operation',
      id,
      ontoggle: () => {
        if (!entry.open || isMade) return
        isMade = true
        entry.append(contents(operation))
      },
    },
    h(
      'summary',
      {},
      h('span', { class: `verb is-${method.toLowerCase()}` }, method),
      h('code', {}, path),
      h('span', { class: 'muted' }, summary),
    ),
  )
  return entry
}

function contents(operation: Operation): HTMLElement {
  const { id, action, parameters, body, answers } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  return h(
    'div',
    { class: 'operation-contents' },
    h(
      'p',
      { class: 'muted' },
      action === null
        ? 'No key is needed. '
        : ['Needs a key with the action ', h('code', {}, action), '. '],
      h('a', { href: `#${id}` }, 'Link to this operation'),
    ),
    h('h3', {}, 'Try it'),
    new TryForm(operation).element,
    parameterTable('Path', inPath),
    parameterTable('Query string', inQuery),
    body === null ? null : Object.entries(body).map(([type, { schema }]) => bodyOf(type, schema)),
    h('h3', {}, 'Answers'),
    h(
      'ul',
      { class: 'answers' },
      Object.entries(answers).map(([status, { description, content }]) =>
        h(
          'li',
          {},
          h('code', {}, status),
          ` ${description} `,
          Object.values(content ?? {}).map(({ schema }) => schemaLink(schema)),
        ),
      ),
    ),
  )
}

const parameterTable = (heading: string, parameters: readonly Parameter[]): Child =>
  parameters.length === 0
    ? null
    : [
        h('h3', {}, heading),
        table(
          parameters.map(({ name, schema, description }) => [
            h('code', {}, name),
            [typeOf(schema), defaultOf(schema), about(description ?? schema.description)],
          ]),
        ),
      ]

function bodyOf(type: string, schema: JsonSchema): Child {
  return [h('h3', {}, 'Body ', h('code', {}, type)), schemaTable(schema)]
}

/** Returns a table of the members of an object, or the type of any other schema. */
export function schemaTable(schema: JsonSchema): Child {
  const members = membersOf(schema)
  if (members.length === 0) return h('p', {}, typeOf(schema))
  return table(
    members.map(({ name, schema: member, isRequired }) => [
      h('code', {}, name),
      [
        typeOf(member),
        isRequired ? h('b', {}, ' required') : null,
        defaultOf(member),
        about(member.description),
      ],
    ]),
  )
}

const defaultOf = ({ default: value }: JsonSchema): Child =>
  value === undefined ? null : [', default ', h('code', {}, JSON.stringify(value))]

const typeOf = (schema: JsonSchema): Child => {
  const inside = schema.items === undefined ? null : referenceOf(schema.items)
  return inside === null ? schemaLink(schema) : ['array of ', schemaLink(schema.items ?? {})]
}

const schemaLink = (schema: JsonSchema): Child => {
  const name = referenceOf(schema)
  return name === null ? typeText(schema) : h('a', { href: `#schema-${name}` }, name)
}

const table = (rows: readonly (readonly [Child, Child])[]): HTMLElement =>
  h(
    'dl',
    { class: 'rows' },
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )
