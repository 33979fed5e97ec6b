// Errors for instances whose documents have not moved into the network yet: answers lack them.
import { ApiError } from '../../errors/index.ts'
import type { SearchPlan } from './search-plan.ts'

/** Returns the bodies of these errors by instance. */
export const unreachedErrors = ({
  unreached,
}: Pick<SearchPlan, 'unreached'>): { readonly [remote: string]: unknown } =>
  Object.fromEntries(unreached.map((name) => [name, notMoved(name).toBody()]))

export const notMoved = (name: string): ApiError =>
  new ApiError(
    'remote_could_not_send_request',
    `The documents that \`${name}\` brings into the network have not moved yet: they are found when ` +
      'the change of the network has succeeded.',
  )
