/** Query plans of the datasets of a report, on tables without rows. */
import { openGate } from '../../store/gate/gate.ts'
import { listZoneAliases } from '../../store/read/zone-table.ts'
import { planTables } from './check.ts'
import type { Report } from '../compiled/report.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'
import { planShadows, withShadows } from '../sql/shadow.ts'

/** A dataset's query plan as SQLite gives it, a line a step, nested steps indented. */
interface DataSetSteps {
  dataSet: string
  steps: readonly string[]
}

/** The plans of a report, and a warning for each table that one of them reads from end to end. */
export interface ReportPlans {
  plans: readonly DataSetSteps[]
  scans: readonly Diagnostic[]
}

/** Explains each dataset as it is read for a company, one after another without a pause. */
export async function explainReport({ dataSets }: Report, model: Model): Promise<ReportPlans> {
  const gate = await openGate(planTables(model))
  const shadow = (tables: readonly string[]): string =>
    withShadows(planShadows(model, tables, 'company'))
  try {
    const plans = dataSets.map(({ name, sql }) => ({
      dataSet: name,
      steps: gate.explain(sql.text, shadow),
      place: sql.place,
      text: sql.text,
    }))
    return {
      plans: plans.map(({ dataSet, steps }) => ({ dataSet, steps })),
      scans: plans.flatMap(({ dataSet, steps, place, text }) =>
        findScanned(steps, listZoneAliases(text)).map((table) => ({
          place,
          message: `${dataSet} reads all of ${table}: an Index would help where few rows match`,
        })),
      ),
    }
  } finally {
    gate.close()
  }
}

/** Finds scanned tables, by alias where they have one, except the statement's own results. */
function findScanned(steps: readonly string[], zones: ReadonlySet<string>): string[] {
  const own = new Set(
    steps.flatMap((step) => /(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(step)?.[1] ?? []),
  )
  const scanned = steps.flatMap((step) => {
    if (/CONSTANT ROW|VIRTUAL TABLE/.test(step)) return []
    return /^\s*SCAN (?:main\.)?([^\s(]\S*)/.exec(step)?.[1] ?? []
  })
  return [...new Set(scanned)].filter((name) => !own.has(name) && !zones.has(name))
}
