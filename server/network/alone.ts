// The network of an embedded engine, which calls no other server.
import { type Engine, OutgoingFault } from '../../engine/index.ts'
import { NetworkService } from './service.ts'

const DAY_MS = 86_400_000

export const aloneService = (
  engine: Engine,
  report: (message: string, error: unknown) => void,
): NetworkService =>
  new NetworkService({
    engine,
    send: () => Promise.reject(new OutgoingFault('rejected', 'no other server may be called')),
    writes: { connectMs: DAY_MS, requestMs: DAY_MS, backoffMs: 0 },
    searchMs: DAY_MS,
    backlogBytesMax: Number.POSITIVE_INFINITY,
    hedges: false,
    isOpen: true,
    isMemberKey: () => false,
    report,
  })
