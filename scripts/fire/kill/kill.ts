// kill -9 at random moments. A session is a database that is started and killed several times: work
// is sent until it is killed, then it is restarted and all acknowledged work is checked.
//
// After each kill: `svc-tools check` finds no problem in the files; every acknowledged task exists
// and ends; the documents, their vectors, settings and indexes are exactly the result of the
// succeeded tasks, run in order on an empty database. A slow provider of embeddings makes some
// kills happen while a batch embeds.
import assert from 'node:assert/strict'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { pause, untilIdle } from '../parts/client.ts'
import { expectSound, inFolder } from '../parts/database.ts'
import { ALLOWS_LOOPBACK, Instance } from '../parts/instance.ts'
import type { Report, Run } from '../parts/report.ts'
import { SlowProvider } from './provider.ts'
import { compareVectors, expectedDoc, shownDoc } from './vectors.ts'
import {
  type Doc,
  documentWork,
  embedderWork,
  INDEXES,
  type Index,
  indexWork,
  isNamed,
  type Model,
  modelOf,
  renderedText,
  requestOf,
  WORDS,
  type Work,
} from './work.ts'

export type KillReport = {
  /** Tasks, and those of them whose acknowledgement was never received. */
  readonly tasks: number
  readonly unheard: number
  /** Whether the server waited for vectors when it was killed. */
  readonly isEmbedding: boolean
  /** Documents that were changed without their text, and were not embedded again. */
  readonly unchanged: number
  /** From the start of the process until it listened. */
  readonly restartMs: number
}

/** A task as the API shows it. */
type Task = {
  readonly uid: number
  readonly type: string
  readonly status: string
  readonly customMetadata?: string
  readonly error: unknown
}

const KILLS_PER_DATABASE = 4
const DOCUMENT_SENDERS = 3
/** The longest answer time of the provider of embeddings, for ten texts. */
const ANSWER_MS_MAX = 150
/** A life ends if no batch embeds within this time. */
const EMBEDDING_MS_MAX = 15_000
/** Documents of an index that are changed without their text. */
const UNCHANGED_MAX = 30
/** The longest lives in which work is sent; mostly short ones: most happens after a start. */
const LIVES_MS_MAX = [150, 600, 1500, 3000]
const ALL = 1_000_000

type Session = {
  readonly random: Random
  readonly instance: Instance
  readonly provider: SlowProvider
  readonly works: Map<string, Work>
  /** By uid: acknowledged work. */
  readonly acknowledged: Map<number, Work>
  /** The work without a name that was being sent when the server was killed. */
  unnamed: Work | null
}

/** `kill`: databases that are killed some times each. */
export async function killRuns({ runs, seed, progress }: Run & { runs: number }): Promise<Report> {
  const reports: KillReport[] = []
  let tasks = 0
  for (let session = 0; reports.length < runs; session++) {
    await killSession(
      seed + session,
      Math.min(KILLS_PER_DATABASE, runs - reports.length),
      (one) => {
        reports.push(one)
        progress?.(reports.length, runs, `database ${session + 1}, ${one.tasks} tasks`)
        return false
      },
    )
    tasks += reports.at(-1)!.tasks
  }
  const sum = (part: (one: KillReport) => number): number =>
    reports.reduce((total, one) => total + part(one), 0)
  const figures = {
    kills: runs,
    tasks,
    'tasks not yet acknowledged': sum(({ unheard }) => unheard),
    'kills while a batch waited for vectors': sum(({ isEmbedding }) => Number(isEmbedding)),
    'documents changed but for their text, not embedded again': sum(({ unchanged }) => unchanged),
    'start after a kill': reports.map(({ restartMs }) => restartMs),
  }
  return { figures, problems: [] }
}

/**
 * Kills one database. `onKill` is called after each kill that it survived; true ends the session.
 * @throws Error if an expectation fails
 */
export const killSession = (
  seed: number,
  kills: number,
  onKill: (report: KillReport) => boolean,
): Promise<void> =>
  inFolder(
    () => `seed ${seed}`,
    async (root) => {
      const provider = await SlowProvider.start()
      const instance = new Instance({ name: 'killed', root, words: ALLOWS_LOOPBACK })
      const random = randomOf(seed)
      const session: Session = {
        random,
        instance,
        provider,
        works: new Map(),
        acknowledged: new Map(),
        unnamed: null,
      }
      try {
        for (let kill = 0; kill < kills; kill++) {
          const isEmbedding = await live(session)
          if (random.below(4) === 0) await dieEarly(session)
          if (onKill({ ...(await verify(session)), isEmbedding })) break
        }
      } finally {
        await instance.kill()
        await provider.stop()
      }
    },
  )

/** Starts the server, sends work, and kills it meanwhile; returns whether a batch embedded. */
async function live(session: Session): Promise<boolean> {
  const { random, provider, instance } = session
  session.unnamed = null
  provider.delayMs = 1 + random.below(ANSWER_MS_MAX)
  await instance.start()
  const waitsForEmbedding = random.below(2) === 0
  const killed = killLater(session, waitsForEmbedding)
  const senders = Array.from({ length: DOCUMENT_SENDERS }, () =>
    sendUntilDeath(session, documentWork),
  )
  const first = waitsForEmbedding ? embedderWork : indexWork
  senders.push(sendUntilDeath(session, indexWork, first))
  await Promise.all([...senders, killed])
  return killed
}

/** Kills after a random time, or that long after a batch began to embed. */
async function killLater(
  { random, provider, instance }: Session,
  waits: boolean,
): Promise<boolean> {
  const longest = performance.now() + EMBEDDING_MS_MAX
  while (waits && provider.waiting === 0 && performance.now() < longest) await pause(2)
  await pause(random.below(waits ? ANSWER_MS_MAX : LIVES_MS_MAX[random.below(4)]!))
  const isEmbedding = provider.waiting > 0
  await instance.kill()
  return isEmbedding
}

type Draw = (random: Random, name: string) => Work

async function sendUntilDeath(session: Session, draw: Draw, first = draw): Promise<void> {
  const { random, works, instance } = session
  const { program } = instance
  for (let next = first; program?.isRunning() === true; next = draw) {
    const work = next(random, `w${works.size}`)
    if (!isNamed(work)) session.unnamed = work
    try {
      await sendWork(session, work)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The connection broke because the server was killed; the process ends a moment later.
      await program.ended
      return
    }
    if (!isNamed(work)) session.unnamed = null
    await pause(random.below(isNamed(work) ? 120 : 400))
  }
}

/** Kills the server during its start. */
async function dieEarly({ random, instance }: Session): Promise<void> {
  const started = instance.start().catch((error: Error) => error)
  await pause(random.below(400))
  await instance.kill()
  await started
}

async function verify(session: Session): Promise<Omit<KillReport, 'isEmbedding'>> {
  const { instance, acknowledged, provider } = session
  expectSound(instance.db, 'after the kill')
  const begun = performance.now()
  provider.delayMs = 0
  await instance.start()
  const restartMs = performance.now() - begun
  await untilIdle(instance)
  const page = await instance.ask('GET', `/tasks?reverse=true&limit=${ALL}`)
  const tasks = page.json.results as readonly Task[]
  const order = identify(session, tasks)
  await compare(instance, modelOf(order))
  const unheard = tasks.length - acknowledged.size
  for (const task of tasks) acknowledged.set(task.uid, workOf(session, task))
  const touched = await changeButForText(session, modelOf(order))
  await compare(instance, modelOf([...order, ...touched.works]))
  await instance.stop()
  expectSound(instance.db, 'after it was stopped')
  return { tasks: tasks.length, unheard, unchanged: touched.unchanged, restartMs }
}

/**
 * Changes some documents of each index with embeddings, and the text of one of them: only that one
 * is embedded again.
 */
async function changeButForText(session: Session, model: Model) {
  const { random, provider, instance } = session
  const works: Work[] = []
  let unchanged = 0
  for (const [index, { docs, embedders }] of model) {
    if (embedders.r === null || docs.size === 0) continue
    const ids = [...docs.keys()].slice(0, UNCHANGED_MAX)
    const kept = ids.map((id) => ({ id, n: 10 + random.below(10) }))
    // A new text: an equal one is not embedded again.
    const text = `${WORDS[random.below(WORDS.length)]} ${session.works.size}`
    const changed = { id: ids[0]!, text }
    for (const docs of [kept, [changed]]) {
      provider.takeTexts()
      const name = `w${session.works.size}`
      const work: Work = { name, kind: 'import', index, method: 'PUT', docs }
      await sendWork(session, work)
      works.push(work)
      await untilIdle(instance)
      const expected = docs === kept ? [] : [renderedText(changed, embedders)]
      assert.deepEqual(provider.takeTexts(), expected, `texts that were embedded of ${index}`)
    }
    unchanged += kept.length
  }
  return { works, unchanged }
}

/** Resolves when it is acknowledged. */
async function sendWork({ works, acknowledged, provider, instance }: Session, work: Work) {
  works.set(work.name, work)
  const { method, path, body } = requestOf(work, provider.url)
  acknowledged.set((await instance.expect(202, method, path, body)).json.taskUid, work)
}

/**
 * Returns the works of succeeded tasks in order; checks that acknowledged tasks exist and have
 * ended.
 */
function identify(session: Session, tasks: readonly Task[]): Work[] {
  const order: Work[] = []
  for (const [uid, work] of session.acknowledged) {
    assert.ok(tasks[uid]?.uid === uid, `task ${uid} was acknowledged and is gone: ${work.kind}`)
    assert.equal(workOf(session, tasks[uid]).name, work.name)
  }
  for (const task of tasks) {
    const failure = JSON.stringify(task.error)
    assert.ok(['succeeded', 'failed'].includes(task.status), `task ${task.uid} is ${task.status}`)
    if (task.status === 'succeeded') order.push(workOf(session, task))
    else assert.match(failure, /"(?:index_not_found|index_already_exists)"/, failure)
  }
  return order
}

function workOf({ works, acknowledged, unnamed }: Session, task: Task): Work {
  const named = task.customMetadata === undefined ? undefined : works.get(task.customMetadata)
  const work = named ?? acknowledged.get(task.uid) ?? unnamed
  assert.ok(work, `an unexpected task ${task.uid}, ${task.type}`)
  return work
}

/** Compares all readable data with the model. */
async function compare(instance: Instance, model: Model): Promise<void> {
  for (const uid of INDEXES) {
    const index = model.get(uid)
    await instance.expect(index === undefined ? 404 : 200, 'GET', `/indexes/${uid}`)
    if (index === undefined) continue
    const settings = (await instance.ask('GET', `/indexes/${uid}/settings`)).json
    for (const [name, value] of Object.entries(index.settings)) {
      assert.deepEqual([...settings[name]].sort(), [...value].sort(), `${uid}: ${name}`)
    }
    const path = `/indexes/${uid}/documents?limit=${ALL}&retrieveVectors=true`
    const found = (await instance.ask('GET', path)).json.results as readonly Doc[]
    const expected = [...index.docs.values()].map((doc) => expectedDoc(doc, index))
    assert.deepEqual(
      found.map((doc) => shownDoc(doc, index)).sort((a, b) => a.id - b.id),
      expected.sort((a, b) => a.id - b.id),
      `documents of ${uid}`,
    )
    await compareVectors(instance, uid, index)
    await compareSearches(instance, uid, index)
  }
}

async function compareSearches(instance: Instance, uid: string, index: Index): Promise<void> {
  const docs = [...index.docs.values()]
  const expectCount = async (body: object, count: number): Promise<void> => {
    const page = { page: 1, hitsPerPage: 1, attributesToRetrieve: ['id'] }
    const { json } = await instance.expect(200, 'POST', `/indexes/${uid}/search`, {
      ...body,
      ...page,
    })
    assert.equal(json.totalHits, count, `${JSON.stringify(body)} in ${uid}`)
  }
  for (const word of WORDS) {
    if (index.settings['stopWords']?.includes(word)) continue
    // Filler is in another field, and has no word of WORDS.
    const held = docs.filter(({ text }) => `${text ?? ''}`.includes(word)).length
    await expectCount({ q: `"${word}"` }, held)
  }
  if (!index.settings['filterableAttributes']?.includes('n')) return
  for (let n = 0; n < 10; n++) {
    await expectCount({ filter: `n = ${n}` }, docs.filter((doc) => doc['n'] === n).length)
  }
}
