/** Procedures as a caller is told of them. */
import type { Caller } from '../../access/caller.ts'
import { Grant } from '../../access/grant.ts'
import { renderMessage } from '../../kernel/messages.ts'
import type { Model, Procedure } from '../../model/model.ts'
import { describeParameter } from '../object/read/metadata.ts'

/** A procedure by name, label and mode. */
export interface ProcedureEntry {
  Name: string
  Label: string
  Mode: 'Read' | 'Write'
}

/** Those that the caller may Execute, by name. */
export function listProcedures(model: Model, caller: Caller): ProcedureEntry[] {
  return [...model.procedures.values()]
    .filter(({ resource }) => Grant.findCapability(caller, model, resource, 'Execute'))
    .map((procedure) => toEntry(procedure, caller.language))
    .sort((a, b) => (a.Name < b.Name ? -1 : 1))
}

const toEntry = ({ name, label, mode }: Procedure, language?: string): ProcedureEntry => ({
  Name: name,
  Label: renderMessage(label, language),
  Mode: mode,
})

/** A procedure with its parameters and what it returns, without any SQL. */
export const describeProcedure = (procedure: Procedure, language?: string) => ({
  ...toEntry(procedure, language),
  Parameters: procedure.parameters.map((each) =>
    describeParameter(each, { isDescribed: () => true, language }),
  ),
  Results: procedure.statements.flatMap(({ result, sql }) =>
    result === undefined
      ? []
      : [{ Name: result, Columns: sql.columns.map((column) => column.name) }],
  ),
})
