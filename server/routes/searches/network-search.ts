// Decides which searches use the network: those that request it, and, if the network has a leader,
// all that do not opt out.
import {
  type Engine,
  type Features,
  featureRefusal,
  type Network,
  type SearchRequest,
} from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { checkUseNetwork } from '../context/index.ts'

/** @throws ApiError feature_not_enabled */
export function usesNetwork(engine: Engine, useNetwork: boolean | null): boolean {
  const { features } = engine.administration
  checkUseNetwork(useNetwork, features)
  if (useNetwork !== null) return useNetwork
  const isSharded = engine.network.get().leader !== null
  if (isSharded) requireNetwork(engine.administration.features)
  return isSharded
}

/** Corrections need the words of all instances. @throws ApiError invalid_search_show_correction */
export function checkCorrection({
  showCorrection,
  useNetwork,
}: Pick<SearchRequest, 'showCorrection' | 'useNetwork'>): void {
  if (!showCorrection || useNetwork !== true) return
  throw new ApiError(
    'invalid_search_show_correction',
    'A search of all instances of a network has no `correctedQuery`: leave out `showCorrection`, ' +
      'or search this instance alone with `useNetwork: false`.',
  )
}

/** Whether other instances have a part in the answer; false where the request will be refused. */
export function spansNetwork(engine: Engine, useNetwork: boolean | null | undefined): boolean {
  const { leader, remotes } = engine.network.get()
  const isWanted = useNetwork ?? leader !== null
  return isWanted && remotes.size > 0 && engine.administration.features.network
}

/** @throws ApiError feature_not_enabled */
export function requireNetwork(
  features: Features,
  action = 'Performing a remote federated search',
): void {
  if (features.network) return
  throw new ApiError('feature_not_enabled', featureRefusal('network', action))
}

/** Checks `federationOptions.remote`. @throws ApiError invalid_multi_search_remote */
export function checkRemote({ self, remotes }: Network, remote: string): void {
  if (remote === self || remotes.has(remote)) return
  throw new ApiError(
    'invalid_multi_search_remote',
    `Invalid \`.federation_options.remote\`: remote \`${remote}\` is not registered`,
  )
}

/** Returns true for calls of other instances, which send exactly this value. */
export const isProxied = (context: { header(name: string): string | undefined }): boolean =>
  context.header('svc-proxy-search') === 'true'
