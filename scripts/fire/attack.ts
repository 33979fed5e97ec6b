// Sends hostile bodies to a separate server, and checks its state after each of them.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, type Client, clientOf, endOfTask, pause } from './ask.ts'
import { type HostileBody, hostileBodies, type Sizes, type Target } from './bodies.ts'
import { memoryOf, startProgram } from './program.ts'

type AttackReport = {
  readonly name: string
  readonly millis: number
  /** The answer's status; 0 without an answer. */
  readonly status: number
  /** The expectation that failed; empty if all hold. */
  readonly problem: string
}

export type Attack = {
  readonly reports: readonly AttackReport[]
  /** Memory of the server before, and at its highest; 0 if the system does not report it. */
  readonly bytesBefore: number
  readonly bytesPeak: number
}

const SETTLE_MS_MAX = 5000
const POLL_MS = 20

export async function attack(
  sizes: Sizes,
  limitBytes: number,
  onCase: (done: number, of: number, name: string) => void = () => undefined,
): Promise<Attack> {
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const db = join(root, 'data.ms')
  const program = startProgram({ db, words: ['--http-payload-size-limit', `${limitBytes} B`] })
  const url = await program.url
  const client = clientOf(url)
  try {
    const added = await client.ask('POST', '/indexes/kept/documents', { body: [{ id: 'sound' }] })
    await endOfTask(client, added.json.taskUid)
    const bytesBefore = memoryOf(program.pid)?.now ?? 0
    const bodies = hostileBodies(sizes)
    const reports: AttackReport[] = []
    for (const [done, body] of bodies.entries()) {
      onCase(done, bodies.length, body.name)
      // A separate index for each body: a body does not affect the result of the next one.
      const target = { client, url, path: `/indexes/attacked-${done}/documents` }
      reports.push(await inflict(body, target, join(db, 'tasks/bodies')))
    }
    return { reports, bytesBefore, bytesPeak: memoryOf(program.pid)?.peak ?? 0 }
  } finally {
    client.close()
    await program.stop()
    rmSync(root, { recursive: true })
  }
}

async function inflict(body: HostileBody, target: Target, folder: string): Promise<AttackReport> {
  const before = await tasksOf(target.client)
  const begun = performance.now()
  let status = 0
  let problem = ''
  try {
    const answer = await body.send(target)
    status = answer?.status ?? 0
    await judge(body, answer, target, before)
    await untilEmpty(folder)
    await expectSound(target.client)
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  return { name: body.name, millis: performance.now() - begun, status, problem }
}

async function judge(
  { wanted }: HostileBody,
  answer: Answer | null,
  { client }: Target,
  before: number,
): Promise<void> {
  const text = answer?.text.slice(0, 300)
  if (answer?.status === 202) {
    assert.ok(wanted.kind === 'taken' || wanted.kind === 'refused or failed', 'it was taken')
    const task = await endOfTask(client, answer.json.taskUid)
    const message = JSON.stringify(task.error).slice(0, 300)
    const status = wanted.kind === 'taken' ? wanted.status : 'failed'
    // A body without an expected refusal may be stored.
    if (wanted.kind === 'taken') assert.equal(task.status, status, message)
    if (wanted.kind === 'taken' && wanted.code !== undefined) {
      assert.equal(task.error.code, wanted.code)
    }
    return
  }
  switch (wanted.kind) {
    case 'refused':
      assert.deepEqual([answer?.status, answer?.json?.code], [wanted.status, wanted.code], text)
      break
    case 'refused or failed':
      assert.deepEqual([answer?.status, answer?.json?.code], [400, 'malformed_payload'], text)
      break
    case 'answered':
      assert.equal(answer?.status, 200, text)
      break
    case 'cut':
      assert.equal(answer, null)
      break
    case 'taken':
      assert.fail(`it was refused: ${text}`)
  }
  assert.equal(await tasksOf(client), before, 'nothing came of what was refused')
}

const tasksOf = async (client: Client): Promise<number> =>
  (await client.ask('GET', '/tasks?limit=1')).json.total

/** Refused bodies are removed soon, those of tasks with the task. */
async function untilEmpty(folder: string): Promise<void> {
  for (let waited = 0; readdirSync(folder).length > 0; waited += POLL_MS) {
    assert.ok(waited < SETTLE_MS_MAX, `left behind: ${readdirSync(folder).join()}`)
    await pause(POLL_MS)
  }
}

async function expectSound(client: Client): Promise<void> {
  assert.equal((await client.ask('GET', '/health')).status, 200)
  const found = await client.ask('POST', '/indexes/kept/search', { body: { q: 'sound' } })
  assert.deepEqual(found.json.hits, [{ id: 'sound' }])
}
