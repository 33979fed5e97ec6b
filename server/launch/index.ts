// The start of a server: options, the engine, imports, roles, messages, the end. Page: ./START.md
export { banner } from './banner.ts'
export {
  engineOptions,
  followOptions,
  launchFeatures,
  publishingCaller,
  publishOptions,
} from './engine-options.ts'
export { importAtLaunch } from './imports.ts'
export { keepAfterStart } from './keep-after-start.ts'
export { type RoleParts, Roles } from './roles.ts'
export { type Running, run, tlsMaker } from './run.ts'
export { type ServiceManager, serviceManager } from './service-manager.ts'
export { folderFailure } from './start-failure.ts'
