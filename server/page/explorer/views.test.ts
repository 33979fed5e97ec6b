// Operations of the API as elements, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { act, markup, stubPage } from '../test-dom.ts'
import { matches, type Operation } from './api-description.ts'
import { operationEntry, schemaTable } from './api-operation.ts'
import { exampleOf, membersOf, referenceOf, typeText } from './api-schema.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

const OPERATION: Operation = {
  id: 'getOne',
  method: 'POST',
  path: '/indexes/{uid}/search',
  summary: 'Searches an index',
  tag: 'search',
  parameters: [
    { name: 'uid', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'limit',
      in: 'query',
      required: false,
      description: 'How many `hits`',
      schema: { type: 'integer', default: 20 },
    },
  ] as never,
  body: {
    'application/json': {
      schema: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } },
    },
  },
  answers: {
    200: {
      description: 'The hits',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } },
    },
    400: { description: 'A refusal' },
  } as never,
  action: 'search',
}

describe('an operation', () => {
  it('is made when it is unfolded, once', () => {
    const entry = operationEntry(OPERATION)
    expect(markup(entry)).toMatchInlineSnapshot(`
      "<details class="operation" id="getOne">
        <summary>
          <span class="verb is-post">POST
          <code>/indexes/{uid}/search
          <span class="muted">Searches an index
      "
    `)
    act(entry, 'toggle')
    expect(entry.children).toHaveLength(1)
    entry.open = true
    act(entry, 'toggle')
    expect(entry.children).toHaveLength(2)
    const text = markup(entry)
    expect(text.slice(0, text.indexOf('<h3>Try it'))).toMatchInlineSnapshot(`
      "<details class="operation" id="getOne" open>
        <summary>
          <span class="verb is-post">POST
          <code>/indexes/{uid}/search
          <span class="muted">Searches an index
        <div class="operation-contents">
          <p class="muted">
            "Needs a key with the action "
            <code>search
            ". "
            <a href="#getOne">Link to this operation
          "
    `)
    expect(text.slice(text.indexOf('<h3>Path'))).toMatchInlineSnapshot(`
      "<h3>Path
          <dl class="rows">
            <div>
              <dt>
                <code>uid
              <dd>string
          <h3>Query string
          <dl class="rows">
            <div>
              <dt>
                <code>limit
              <dd>
                "integer"
                ", default "
                <code>20
                <p class="about">
                  "How many "
                  <code>hits
          <h3>
            "Body "
            <code>application/json
          <dl class="rows">
            <div>
              <dt>
                <code>q
              <dd>
                "string"
                <b> required
          <h3>Answers
          <ul class="answers">
            <li>
              <code>200
              " The hits "
              <a href="#schema-Answer">Answer
            <li>
              <code>400
              " A refusal "
      "
    `)
  })

  it('without a key, parameters and body says so', () => {
    const open = { ...OPERATION, action: null, parameters: [], body: null }
    const entry = operationEntry(open)
    entry.open = true
    expect(entry.textContent).toContain('No key is needed. ')
    expect([...entry.querySelectorAll('h3')].map(({ textContent }) => textContent)).toEqual([
      'Try it',
      'Answers',
    ])
  })

  it('is found by all words of a text', () => {
    const found = (text: string): boolean => matches(OPERATION, text)
    expect([found('post'), found('SEARCHES index'), found('search delete'), found('')]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })
})

describe('a schema', () => {
  it('is a table of its members, or a type', () => {
    const list = { type: 'array', items: { $ref: '#/components/schemas/Task' } }
    const members = {
      type: 'object',
      properties: { a: list, b: { type: 'boolean', default: false } },
    }
    const place = document.createElement('div')
    place.append(schemaTable(members) as Node, schemaTable({ type: 'string' }) as Node)
    expect(markup(place)).toMatchInlineSnapshot(`
      "<div>
        <dl class="rows">
          <div>
            <dt>
              <code>a
            <dd>
              "array of "
              <a href="#schema-Task">Task
          <div>
            <dt>
              <code>b
            <dd>
              "boolean"
              ", default "
              <code>false
        <p>string
      "
    `)
  })

  it.each([
    [{ type: 'integer', minimum: 0 }, 'integer'],
    [{ type: 'integer', minimum: 1 }, 'integer, at least 1'],
    [{ type: 'integer', maximum: 5 }, 'integer, at most 5'],
    [{ type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 }, 'integer'],
    [{ type: 'integer', minimum: 0, maximum: 2 ** 32 - 2 }, 'integer, 0 to 4294967294'],
    [{ type: 'string', enum: [...'abcdefgh'] }, 'string: a, b, c, d, e, f, g, h'],
    [{ type: 'string', enum: [...'abcdefghij'] }, 'string: a, b, c, d, e, f, g, h and 2 more'],
    [{ type: 'array' }, 'array'],
    [{ const: null }, 'null'],
    [{ anyOf: [{ type: 'string' }, { type: 'string' }, { type: 'null' }] }, 'string or null'],
  ])('%j is %s', (schema, text) => expect(typeText(schema)).toBe(text))

  it('has members of members, up to a depth', () => {
    const nested = (depth: number): object =>
      depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } }
    expect(membersOf(nested(9)).map(({ name }) => name)).toEqual(['a', 'a.a', 'a.a.a', 'a.a.a.a'])
    expect([referenceOf({ $ref: '#/x/Y' }), referenceOf({})]).toEqual(['Y', null])
  })

  it('has a short example', () => {
    const example = (path: string, type: string, schema = {}): unknown => {
      const text = exampleOf(path, type, schema)
      return type === 'application/json' ? JSON.parse(text) : text
    }
    const json = 'application/json'
    expect(example('/x', 'application/x-ndjson')).toMatch(/^\{.*\}\n$/)
    expect(example('/x', 'text/csv')).toBe('id,title\n1,A quiet harbour\n')
    expect(example('/indexes/a/documents', json)).toEqual([{ id: 1, title: 'A quiet harbour' }])
    expect(example('/multi-search', json)).toEqual({ queries: [{ indexUid: '', q: '' }] })
    expect(example('/indexes/a/facet-search', json)).toEqual({ facetName: '', facetQuery: '' })
    expect(example('/indexes/a/search', json)).toEqual({ q: '', limit: 5 })
    const schema = {
      type: ['object', 'null'],
      required: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      properties: {
        a: { type: 'string' },
        b: { type: 'integer', minimum: 1 },
        c: { type: 'number' },
        d: { type: 'boolean' },
        e: { type: 'array', items: { enum: ['x', 'y'] } },
        f: { type: 'array' },
        h: { type: 'string' },
      },
    }
    expect(example('/x', json, schema)).toEqual({
      a: '',
      b: 1,
      c: 0,
      d: false,
      e: ['x'],
      f: [],
      g: {},
    })
  })
})
