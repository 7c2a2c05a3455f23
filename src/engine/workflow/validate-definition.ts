/** Faults of a definition, as it would be in place of a stored workflow. */
import type { Reader } from '../../store/store.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import type { Diagnostic, Place } from '../../model/parse/element.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { DEFINITION_FILE, parseDefinition } from '../versioned-documents/definition-text.ts'

/** A fault or warning. */
interface Issue {
  Severity: 'error' | 'warning'
  Message: string
  Line: number
  Column: number
}

/** A text in place of the workflow `name`. */
interface PlacedText {
  body: string
  name: string
  userId: number
  companyId: number
}

/** Every fault and warning of a text, those about present users among them. */
export async function validateWorkflow(
  { store, models }: Pick<ObjectEngine, 'store' | 'models'>,
  { body, name, userId, companyId }: PlacedText,
): Promise<{ Issues: Issue[] }> {
  const { script, faults } = await parseDefinition('Workflow', body, userId)
  if (!script) return { Issues: faults.map(toIssue('error')) }
  const isPlace = (each: Script): boolean => each.type === 'Workflow' && each.name === name
  const others = models.get().scripts.filter((each) => !isPlace(each))
  const compiled = await models.compiler.compile([...others, script], [])
  const own = compiled.warnings.filter(({ place }) => place.file === DEFINITION_FILE)
  const { model } = compiled
  const workflow = model?.workflows.get(script.name)
  const further = workflow ? await findWarnings(store, companyId, workflow) : []
  return {
    Issues: [
      ...compiled.faults.map(toIssue('error')),
      ...[...own, ...further].map(toIssue('warning')),
    ].sort((a, b) => a.Line - b.Line || a.Column - b.Column),
  }
}

const toIssue =
  (Severity: Issue['Severity']) =>
  ({ place, message }: Diagnostic): Issue => ({
    Severity,
    Line: place.line,
    Column: place.column,
    Message: place.file === DEFINITION_FILE ? message : `${place.file}: ${message}`,
  })

async function findWarnings(
  reader: Pick<Reader, 'all'>,
  company: number,
  workflow: Workflow,
): Promise<Diagnostic[]> {
  const holders = await countHolders(reader, company)
  const found: Diagnostic[] = []
  const warn = (place: Place, message: string) => found.push({ place, message })
  for (const { assignment, name, place } of workflow.states) {
    if (!assignment) continue
    const { role, escalate, rule, count = 0, user, sql } = assignment
    for (const each of new Set([role, escalate])) {
      if (each !== undefined && (holders.get(each) ?? 0) === 0)
        warn(place, `${name} gives a task to the Role ${each}, which no user has at the moment`)
    }
    const isOnlyRole = user === undefined && sql === undefined && role !== undefined
    const most = holders.get(role ?? '') ?? 0
    if (rule === 'Quorum' && isOnlyRole && most > 0 && most < count)
      warn(place, `${name} takes ${count} of the Role ${role}, which only ${most} hold now`)
  }
  return found
}

/** Counts holders in the caller's own company: numbers of other companies stay private. */
const HOLDERS = `SELECT r.Role, count(DISTINCT r.UserId) AS Users FROM main.svc_user_roles r
  JOIN main.svc_users u ON u.Id = r.UserId AND u.Active
  JOIN main.svc_user_companies m ON m.UserId = u.Id AND m.CompanyId = @company
  WHERE r.CompanyId IS NULL OR r.CompanyId = @company GROUP BY r.Role`

async function countHolders(
  reader: Pick<Reader, 'all'>,
  company: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all<{ Role: string; Users: number }>(HOLDERS, { company })
  return new Map(rows.map(({ Role, Users }) => [Role, Users]))
}
