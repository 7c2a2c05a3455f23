/** The Validates of a step, of its form or of each row of its list. */
import { type Message, plain } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Validate } from '../../model/compiled/validate.ts'
import { askMany } from '../../model/sql/ask-many.ts'
import { contextValue, isContextName } from '../object/context.ts'
import { isTrue } from '../object/rules/entity-rules.ts'
import { holdsRule } from '../object/rules/field-condition.ts'
import { toArg } from '../object/value.ts'
import { listFieldsFor, type StepAccess } from './wizard-access.ts'

/** A form whose rules are evaluated: its own values, over earlier ones. */
interface RuledForm {
  prefix: string
  values: ReadonlyMap<string, SqlValue>
}

/** A broken rule; '' is the form itself. */
interface BrokenStepRule {
  prefix: string
  field: string
  message: Message
}

/** Finds broken rules, in the order of the rules; a rule in SQL is asked once for all forms. */
export async function findBrokenRules(
  access: StepAccess,
  forms: readonly RuledForm[],
): Promise<BrokenStepRule[]> {
  const broken: BrokenStepRule[] = []
  if (forms.length === 0) return broken
  const drafts = forms.map(({ values }) => new Map([...access.bound, ...values]))
  for (const rule of access.step.validates) {
    const held = await evaluate(access, rule, drafts)
    for (const [at, { prefix }] of forms.entries())
      if (!held[at]) broken.push({ prefix, field: rule.field ?? '', message: plain(rule.message) })
  }
  return broken
}

type Drafts = readonly ReadonlyMap<string, SqlValue>[]

async function evaluate(access: StepAccess, rule: Validate, drafts: Drafts): Promise<boolean[]> {
  const { reader, view, wizard, step, grant, context } = access
  const fields = listFieldsFor(wizard, step)
  if (rule.kind === 'compare') {
    const find = (name: string) => fields.get(name.toLowerCase())
    return drafts.map((draft) => holdsRule(rule, find, draft, grant.caller.timeZone))
  }
  const values = await askMany(rule.sql, drafts.length, {
    tx: reader,
    model: grant.model,
    of: `${view.name}.${step.name}`,
    valueOf: (name, at) => {
      if (isContextName(name, grant.model)) return contextValue(name, context)
      const key = name.toLowerCase()
      return toArg(fields.get(key), drafts[at]?.get(key) ?? null)
    },
  })
  return values.map(isTrue)
}
