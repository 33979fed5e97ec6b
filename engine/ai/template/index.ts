// Here is a template and a document: which text?
export { Budget } from './budget.ts'
export { TemplateFault } from './fault.ts'
export {
  runTemplateJob,
  type TemplateInput,
  type TemplateJob,
  type TemplateOutcome,
} from './job.ts'
export { loadLibrary, parseTemplate, type Template } from './liquid.ts'
export { documentScope, type Scope, type TemplateDocument } from './scope.ts'
export {
  type TemplateReply,
  type TemplateRunOptions,
  type Templates,
  TemplateThread,
  templatesInPlace,
} from './thread.ts'
