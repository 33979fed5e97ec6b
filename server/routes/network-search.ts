// Which searches ask the network: those that say so, and where somebody leads all that do not
// refuse.
import { type Engine, featureRefusal, type Network } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { checkUseNetwork } from './gates.ts'

/** @throws ApiError feature_not_enabled */
export function usesNetwork(engine: Engine, useNetwork: boolean | null): boolean {
  const { features } = engine
  checkUseNetwork(useNetwork, features)
  if (useNetwork !== null) return useNetwork
  const isSharded = engine.network.get().leader !== null
  if (isSharded) requireNetwork(engine)
  return isSharded
}

/** @throws ApiError feature_not_enabled */
export function requireNetwork(
  { features }: Pick<Engine, 'features'>,
  action = 'Performing a remote federated search',
): void {
  if (features.network) return
  throw new ApiError('feature_not_enabled', featureRefusal('network', action))
}

/** `federationOptions.remote`. @throws ApiError invalid_multi_search_remote */
export function checkRemote({ self, remotes }: Network, remote: string): void {
  if (remote === self || remotes.has(remote)) return
  throw new ApiError(
    'invalid_multi_search_remote',
    `Invalid \`.federation_options.remote\`: remote \`${remote}\` is not registered`,
  )
}

/** Marks calls of other instances, with this value alone. */
export const isProxied = (context: { header(name: string): string | undefined }): boolean =>
  context.header('svc-proxy-search') === 'true'
