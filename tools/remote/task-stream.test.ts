// Waiting for tasks: by the stream of a server that has one, and by asking one that has none, or whose
// stream breaks off. The server here counts what it is asked.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { finishedTasks } from './tasks.ts'

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const task = (status: string) => ({ uid: 7, status, error: null, details: null })

/** Starts a server; `stream` answers its stream, `status` is that of task 7. */
async function serving(stream: (response: ServerResponse) => void, status: () => string) {
  const asked: string[] = []
  server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url === '/tasks/stream') stream(response)
    else response.end(JSON.stringify(task(status())))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server!.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { asked, instance: { url: `http://127.0.0.1:${port}`, apiKey: null } }
}

const open = (response: ServerResponse): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(':\n\ndata: {"uid":1,"status":"succeeded","error":null,"details":null}\n\n')
  return response
}

test('the end of a task comes by the stream, in pieces', async () => {
  const { asked, instance } = await serving(
    (response) => {
      open(response)
      const event = `data: ${JSON.stringify(task('succeeded'))}\n\n`
      setTimeout(() => response.write(event.slice(0, 9)), 100)
      setTimeout(() => response.write(event.slice(9)), 150)
    },
    () => 'processing',
  )
  expect(await finishedTasks(instance, [7])).toEqual([task('succeeded')])
  expect(asked).toEqual(['/tasks/stream', '/tasks/7'])
})

test.each([
  ['refuses the stream', (response: ServerResponse) => response.writeHead(400).end('{}')],
  ['ends the stream', (response: ServerResponse) => open(response).end()],
  ['breaks the stream off', (response: ServerResponse) => open(response).destroy()],
  ['sends no tasks', (response: ServerResponse) => void response.end('data: {"uid":7}\n\n')],
])('a server that %s is asked again', async (_, stream) => {
  let answers = 0
  const { asked, instance } = await serving(stream, () => (++answers < 3 ? 'enqueued' : 'failed'))
  expect(await finishedTasks(instance, [7])).toEqual([task('failed')])
  expect(asked).toEqual(['/tasks/stream', '/tasks/7', '/tasks/7', '/tasks/7'])
})

test('several tasks come in their order, and are counted', async () => {
  const { asked, instance } = await serving(
    (response) => {
      open(response)
      response.write(`data: ${JSON.stringify(task('canceled'))}\n\n`)
    },
    () => 'succeeded',
  )
  const counts: number[] = []
  const finished = await finishedTasks(instance, [7, 7], (count) => counts.push(count))
  expect(finished.map(({ uid }) => uid)).toEqual([7, 7])
  expect(counts).toEqual([0, 1])
  expect(asked[0]).toBe('/tasks/stream')
})
