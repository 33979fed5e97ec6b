// Which text does a template render from a document?

export { parsedForTemplate } from './exact-document.ts'
export { TemplateFault } from './fault.ts'
export {
  runTemplateJob,
  type TemplateInput,
  type TemplateJob,
  type TemplateOutcome,
  textPaths,
} from './job.ts'
export { type Loaded, loadLibrary, type SyncTemplate, syncTemplateParser } from './liquid.ts'
export { documentScope, type Scope, type TemplateDocument } from './scope.ts'

export {
  type TemplateReply,
  type Templates,
  TemplateThread,
  templatesInPlace,
} from './thread.ts'
