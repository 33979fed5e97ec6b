// Requests as code: each form, run or read back, is the same request.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { curlOf, javaScriptOf, pythonOf, type SentRequest } from './snippets.ts'

const ORIGIN = 'http://localhost:7700/below'
const sent = (body: unknown): SentRequest => ({
  method: 'POST',
  target: '/indexes/a%27b/search?x=1',
  body: { type: 'application/json', text: JSON.stringify(body) },
})

/** Runs JavaScript that calls `fetch` once, and returns the call. */
async function fetched(code: string): Promise<readonly [string, RequestInit]> {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response('{}'))
  const run = new Function('fetch', 'process', 'console', `return (async () => {${code}})()`)
  await run(fetch, { env: { KEY: 'k' } }, { log: () => undefined })
  return fetch.mock.calls[0]!
}

describe('a request as code', () => {
  it('is the same request in JavaScript', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        const [url, { method, body: text, headers }] = await fetched(
          javaScriptOf(sent(body), ORIGIN, true),
        )
        expect([url, method]).toEqual([`${ORIGIN}/indexes/a%27b/search?x=1`, 'POST'])
        expect(JSON.parse(String(text))).toEqual(JSON.parse(JSON.stringify(body)))
        const own = { 'Content-Type': 'application/json', Authorization: 'Bearer k' }
        expect(headers).toEqual(own)
      }),
    )
    const [, { body: named }] = await fetched(
      javaScriptOf(sent({ a: [{ ['__proto__']: '"__proto__":' }] }), ORIGIN, false),
    )
    expect(named).toBe('{"a":[{"__proto__":"\\"__proto__\\":"}]}')
    const csv = { ...sent(null), body: { type: 'text/csv', text: "id\n'`$(1)`'" } }
    const [, init] = await fetched(javaScriptOf(csv, ORIGIN, false))
    expect(init).toMatchObject({ body: csv.body.text, headers: { 'Content-Type': 'text/csv' } })
    expect(await fetched(javaScriptOf({ ...csv, body: null }, ORIGIN, false))).toEqual([
      `${ORIGIN}/indexes/a%27b/search?x=1`,
      { method: 'POST' },
    ])
  })

  it('has the arguments of the shell in curl, and no key', () => {
    const quote = sent({ q: "it's" })
    const printed = curlOf(quote, ORIGIN, true).replace(/^curl/, "printf '%s\\n'")
    const lines = execFileSync('sh', ['-c', printed], { env: { KEY: 'k' } }).toString()
    expect(lines.split('\n').slice(0, -1)).toEqual([
      '-X',
      'POST',
      `${ORIGIN}/indexes/a%27b/search?x=1`,
      '-H',
      'Authorization: Bearer k',
      '-H',
      'Content-Type: application/json',
      '--data-binary',
      '{"q":"it\'s"}',
    ])
    expect(curlOf({ ...quote, body: null }, ORIGIN, false)).not.toMatch(/-H|data/)
  })

  it('has the values of Python', () => {
    const body = { q: 'a "b"\n', flags: [true, false, null], none: {}, deep: [{ n: 1.5 }] }
    expect(pythonOf(sent(body), ORIGIN, true)).toBe(
      [
        'import os',
        'import requests',
        '',
        'response = requests.request(',
        '  "POST",',
        `  "${ORIGIN}/indexes/a%27b/search?x=1",`,
        '  headers={"Authorization": "Bearer " + os.environ["KEY"]},',
        '  json={',
        '    "q": "a \\"b\\"\\n",',
        '    "flags": [',
        '      True,',
        '      False,',
        '      None',
        '    ],',
        '    "none": {},',
        '    "deep": [',
        '      {',
        '        "n": 1.5',
        '      }',
        '    ]',
        '  },',
        ')',
        'print(response.json())',
      ].join('\n'),
    )
    const invalid = { ...sent(null), body: { type: 'application/json', text: '{' } }
    expect(pythonOf(invalid, '', false)).toContain('  data="{".encode(),')
  })
})
