// The dependencies of routes besides the engine, for tests: a silent log and empty counters.
import { EVERYTHING } from '../http/index.ts'
import { Log } from '../log/index.ts'
import { EventTally } from '../metrics/index.ts'
import type { RouteOptions } from '../routes/context/options.ts'
import { EventStreams } from '../streams/index.ts'

export function fakeOptions(): Omit<RouteOptions, 'engine'> {
  return {
    registrationOf: () => undefined,
    release: { version: '9.8.7', commitSha: 'unknown', commitDate: 'unknown' },
    models: null,
    personalizer: null,
    masterKey: null,
    instances: fakeInstances(),
    launchWebhook: null,
    log: new Log({ level: 'OFF', mode: 'human', write: () => undefined, now: () => 0 }),
    metrics: { text: () => Promise.resolve('# HELP m Metric\n# TYPE m gauge\nm 1\n') },
    history: { view: () => ({ intervalMs: 60_000, readings: [] }) },
    streams: new EventStreams({
      tasks: { follow: () => undefined },
      show: () => null,
      isOn: () => true,
      connectionsMax: 10,
    }),
    authorise: () => EVERYTHING,
    readBody: async (source, body, details) =>
      body.read((await source.json()).bytes, ...(details as readonly never[])),
    events: new EventTally(),
  }
}

/** A network without instances. */
const fakeInstances = (): RouteOptions['instances'] =>
  ({
    availability: { status: () => 'available' },
    change: () => Promise.reject(new Error('no network is changed here')),
    receive: () => Promise.resolve(),
    contained: {
      newest: () => null,
      own: () => Promise.resolve(true),
      others: () => Promise.resolve(true),
    },
  }) as unknown as RouteOptions['instances']
