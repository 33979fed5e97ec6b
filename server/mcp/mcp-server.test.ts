// How large an answer of a route may be for a tool.
import { expect, test } from 'vitest'
import type { Reply, RequestContext } from '../http/messages/index.ts'
import { TOOL_ANSWER_BYTES_MAX } from './limits.ts'
import { McpServer } from './mcp-server.ts'

/** The routes of tools, each with this reply. */
const routesWith = (reply: Reply) =>
  [
    ['GET', '/indexes'],
    ['POST', '/indexes/:indexUid/documents/fetch'],
    ['POST', '/multi-search'],
    ['POST', '/indexes/:indexUid/facet-search'],
  ].map(([method, path]) => {
    return { method, path, body: { schema: () => ({}) }, handle: async () => reply }
  })

/** Calls a tool; returns the name of the error, or null. */
async function errorOf(reply: Omit<Reply, 'status'>): Promise<string | null> {
  const server = new McpServer({
    routes: routesWith({ status: 200, ...reply }),
    authorise: async () => null,
    memberDefaults: () => ({}),
  } as unknown as ConstructorParameters<typeof McpServer>[0])
  const params = { name: 'listIndexes', arguments: {} }
  const context = { header: () => undefined } as unknown as RequestContext
  const { body } = await server.answer(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    context,
  )
  const answer = JSON.parse(String(body)) as { error?: { data: { errorName: string } } }
  return answer.error?.data.errorName ?? null
}

const text = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`

test.each<[string, (bytes: number) => Omit<Reply, 'status'>]>([
  ['text', (bytes) => ({ body: text(bytes) })],
  ['text of other letters', (bytes) => ({ body: text(bytes - 1).replace('x', 'é') })],
  ['a value', (bytes) => ({ body: ['x'.repeat(bytes - 4)] })],
  ['bytes', (bytes) => ({ body: Buffer.from(text(bytes)) })],
  ['parts', (bytes) => ({ parts: [Buffer.from('['), Buffer.from(`${text(bytes - 2)}]`)] })],
])('an answer of as many bytes as may be, and of one more: %s', async (_, replyOf) => {
  expect(await errorOf(replyOf(TOOL_ANSWER_BYTES_MAX))).toBeNull()
  expect(await errorOf(replyOf(TOOL_ANSWER_BYTES_MAX + 1))).toBe('answer_too_large')
})
