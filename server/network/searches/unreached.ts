// Errors for instances whose documents have not moved into the network yet: answers lack them.
import type { Engine } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'

/** Returns the bodies of these errors by instance. */
export const unreachedErrors = ({
  topology,
}: Pick<Engine, 'topology'>): { readonly [remote: string]: unknown } =>
  Object.fromEntries(topology.unreached.map((name) => [name, notMoved(name).toBody()]))

const notMoved = (name: string): ApiError =>
  new ApiError(
    'remote_could_not_send_request',
    `The documents that \`${name}\` brings into the network have not moved yet: they are found when ` +
      'the change of the network has succeeded.',
  )
