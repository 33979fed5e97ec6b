// Rough clients, each on a separate socket: they read or write a byte per second, close their half
// before the answer, pipeline far ahead, or disconnect in the middle.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Random } from '../../../engine/store/storage/index.ts'
import { pause } from '../parts/client.ts'
import { INDEX } from './requests.ts'

export type RoughReport = {
  /** Correct answers. */
  answers: number
  /** Connections that were closed half way, by the client or the server. */
  cut: number
  readonly problems: string[]
}

type Rough = {
  readonly port: number
  readonly random: Random
  readonly goesOn: () => boolean
  readonly report: RoughReport
}

const BYTE_MS = 1000
const PIPELINED = 60
const ANSWER_MS_MAX = 60_000
const HOST = 'Host: 127.0.0.1'

const open = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  // A connection that the server cuts is one of the outcomes.
  socket.on('error', () => socket.destroy())
  return socket
}

/** Sends its body at a byte per second, until it is stopped. */
async function slowWriter({ port, goesOn, report }: Rough): Promise<void> {
  const body = JSON.stringify({ q: 'a quiet harbour in the winter light, told slowly' })
  const socket = await open(port)
  const answer = textOf(socket)
  socket.write(
    `POST /indexes/${INDEX}/search HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
  )
  for (const byte of body) {
    if (socket.destroyed) break
    socket.write(byte)
    if (goesOn()) await pause(BYTE_MS)
  }
  // A JSON body has 30 s to arrive; on a busy machine this one takes longer.
  const text = await answer
  judge(text, text.startsWith('HTTP/1.1 408 ') ? 408 : 200, report)
}

/** Requests a large answer and reads a byte per second. */
async function slowReader({ port, goesOn, report }: Rough): Promise<void> {
  const socket = await open(port)
  socket.write(`GET /indexes/${INDEX}/documents?limit=5000 HTTP/1.1\r\n${HOST}\r\n\r\n`)
  socket.pause()
  while (goesOn() && !socket.destroyed) {
    socket.read(1)
    await pause(BYTE_MS)
  }
  socket.destroy()
  report.cut++
}

/** Sends a complete request, closes its half, and waits for the answer. */
async function halfCloser(rough: Rough): Promise<void> {
  while (rough.goesOn()) {
    const socket = await open(rough.port)
    const answer = textOf(socket)
    socket.end(`GET /indexes/${INDEX}/documents/1 HTTP/1.1\r\n${HOST}\r\n\r\n`)
    judge(await answer, 200, rough.report)
    await pause(rough.random.below(40))
  }
}

/** Pipelines many requests; all answers must arrive in order. */
async function pipeliner(rough: Rough): Promise<void> {
  while (rough.goesOn()) {
    const socket = await open(rough.port)
    const answer = textOf(socket)
    const paths = Array.from({ length: PIPELINED }, (_, i) =>
      i % 3 === 0 ? `/indexes/${INDEX}/documents/${i}` : i % 3 === 1 ? '/health' : '/absent',
    )
    socket.end(paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`).join(''))
    const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])
    const wanted = paths.map((path) => (path === '/absent' ? '404' : '200'))
    if (statuses.join() === wanted.join()) rough.report.answers += PIPELINED
    else rough.report.problems.push(`${statuses.length} of ${PIPELINED} pipelined: ${statuses}`)
    await pause(rough.random.below(60))
  }
}

/** Pipelines more than is allowed: the connection is cut, without other effects. */
async function flooder(rough: Rough): Promise<void> {
  while (rough.goesOn()) {
    const socket = await open(rough.port)
    const answer = textOf(socket)
    socket.write(
      `GET /indexes/${INDEX}/documents?limit=1000 HTTP/1.1\r\n${HOST}\r\n\r\n`.repeat(500),
    )
    await Promise.race([answer, pause(2000)])
    socket.destroy()
    rough.report.cut++
    await pause(500)
  }
}

/** Disconnects at any moment: in the head, in the body, during the search, in the answer. */
async function leaver(rough: Rough): Promise<void> {
  const body = JSON.stringify([{ id: 1, title: 'never wholly sent' }])
  const request =
    `POST /indexes/${INDEX}/documents HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length + 1}\r\n\r\n${body}`
  const search = `GET /indexes/${INDEX}/search?q=harb+mountian HTTP/1.1\r\n${HOST}\r\n\r\n`
  while (rough.goesOn()) {
    const socket = await open(rough.port)
    const text = rough.random.below(2) === 0 ? request : search
    socket.write(text.slice(0, 1 + rough.random.below(text.length)))
    await pause(rough.random.below(8))
    if (rough.random.below(2) === 0) socket.resetAndDestroy()
    else socket.destroy()
    rough.report.cut++
  }
}

export const ROUGH_CLIENTS = [slowWriter, slowReader, halfCloser, pipeliner, flooder, leaver]

/** Returns all text until the server closes; empty if it is cut or silent. */
function textOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS_MAX)
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      // Removes interim answers.
      const text = Buffer.concat(chunks).toString('latin1')
      resolve(text.replace(/HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/g, ''))
    }
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('end', end)
    socket.once('close', end)
  })
}

function judge(text: string, status: number, report: RoughReport): void {
  if (text.startsWith(`HTTP/1.1 ${status} `)) report.answers++
  else report.problems.push(`a rough client got: ${text.slice(0, 120) || 'nothing'}`)
}
