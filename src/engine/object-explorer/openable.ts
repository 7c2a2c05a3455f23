/** Everything that a caller may open, for building a client: nothing of System's catalog. */
import { renderMessage } from '../../kernel/messages.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { describeRights, type Listed, type ObjectNode, planTree } from './objects.ts'

/**
 * Views by their entities and wizards, on which the caller holds any right, with the reports that
 * they may List, procedures that they may Execute and workflows of views that they may View.
 */
export function listOpenable(model: Model, caller: Caller): ObjectNode[] {
  const views = [...model.views.values()].flatMap((view): Listed[] => {
    const grant = Grant.ofCause(caller, model, view.resource)
    const { verbs, capabilities } = grant.access
    return verbs.size > 0 || capabilities.size > 0 ? [{ view, grant }] : []
  })
  const { language } = caller
  const others = [
    ...listReports(model, caller),
    ...listProcedures(model, caller),
    ...listWorkflows(model, caller),
  ]
  return planTree(views, language, others)
}

function listReports(model: Model, caller: Caller): ObjectNode[] {
  return [...model.reports.values()].flatMap((report) => {
    const grant = Grant.find(caller, model, report.name, 'List')
    return grant ? [toNode('Report', report, grant)] : []
  })
}

function listProcedures(model: Model, caller: Caller): ObjectNode[] {
  return [...model.procedures.values()].flatMap((procedure) => {
    const grant = Grant.findCapability(caller, model, procedure.resource, 'Execute')
    return grant ? [toNode('Procedure', { ...procedure, slug: null }, grant)] : []
  })
}

function listWorkflows(model: Model, caller: Caller): ObjectNode[] {
  return [...model.workflows.values()].flatMap((workflow) => {
    const view = model.views.get(workflow.view)
    const grant = view && Grant.find(caller, model, view.resource, 'View')
    return grant ? [toNode('Workflow', workflow, grant)] : []
  })
}

const toNode = (
  kind: ObjectNode['Kind'],
  { name, slug, label }: { name: string; slug: string | null; label: ModelText },
  grant: Grant,
): ObjectNode => ({
  Kind: kind,
  Name: name,
  Slug: slug,
  ViewType: null,
  Label: renderMessage(label, grant.caller.language),
  ...describeRights(grant),
  Children: [],
})
