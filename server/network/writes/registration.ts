// Reads the headers of a request that concern its task: sent by another instance, repeated, or part
// of a client's own replication (`../replication.ts`).
import type { Engine, Registration } from '../../../engine/index.ts'
import type { RequestContext } from '../../http/index.ts'
import { checkOrigin, REPEATED, readTaskNetwork } from '../calls/index.ts'
import { checkSender } from './membership.ts'

type Read = (context: RequestContext) => Registration | undefined

/** `isOpen`: API keys are not required, so the origin cannot be checked. */
export const registrationReader =
  (engine: Engine, isOpen: boolean, otherwise: Read): Read =>
  (context) => {
    const network = readTaskNetwork(context)
    if (network === null) return otherwise(context)
    const { remoteName } = network.kind === 'origin' ? network.origin : originOf(network)
    const role = network.kind === 'origin' ? 'leader' : 'member'
    checkSender(context, role, engine.network.get(), isOpen)
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
