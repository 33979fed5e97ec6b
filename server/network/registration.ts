// What the headers of a request say of its task: sent by another instance, sent again, or asked for
// by a cluster of its own making (`../replication.ts`).
import type { Engine, Registration } from '../../engine/index.ts'
import type { RequestContext } from '../http/index.ts'
import { checkOrigin, REPEATED, readTaskNetwork } from './headers.ts'

type Read = (context: RequestContext) => Registration | undefined

/** `isOpen`: no keys are asked for, so that any caller may call itself anything. */
export const registrationReader =
  (engine: Engine, isOpen: boolean, otherwise: Read): Read =>
  (context) => {
    const network = readTaskNetwork(context)
    if (network === null) return otherwise(context)
    const { remoteName } = network.kind === 'origin' ? network.origin : originOf(network)
    if (!isOpen) {
      const { change } = engine.topology
      const known = [
        engine.network.get(),
        ...(change === null ? [] : [change.before, change.after]),
      ]
      checkOrigin(remoteName, known)
    }
    const isRepeated = context.header(REPEATED) === 'true'
    return { uid: null, isDry: false, network, isRepeated }
  }

const originOf = (
  network: NonNullable<Registration['network']>,
): { readonly remoteName: string } =>
  network.kind === 'import' ? network.change : { remoteName: '' }
