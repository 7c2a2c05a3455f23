/** Reports as versioned documents. */
import { conflict, Failure, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { toWireFault } from '../../model/deploy/report.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import { findReport } from './find-report.ts'
import { reportMoved } from './versions.ts'
import type { DocumentKind } from '../versioned-documents/change-document.ts'
import { describeFault } from '../versioned-documents/designer.ts'
import { draftMoved } from '../versioned-documents/versions.ts'

/** The 400 of a definition with faults. */
export function refuseDefinition(faults: readonly Diagnostic[]): Failure {
  const first = faults[0] ? describeFault(faults[0]) : ''
  const text =
    faults.length === 1
      ? say`The report has an error: ${first}`
      : say`The report has ${faults.length} errors. The first one: ${first}`
  return invalid(text, { code: 'REPORT_FAULTS', members: { faults: faults.map(toWireFault) } })
}

/** See `DocumentKind`. */
export const REPORTS: DocumentKind = {
  type: 'Report',
  source: 'report-designer',
  find: findReport,
  refuse: refuseDefinition,
  moved: reportMoved,
  draftMoved,
  missing: () => notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' }),
  missingDraft: () => notFound(say`The report has no draft`, { code: 'DRAFT_NOT_FOUND' }),
  taken: (name) =>
    conflict(say`Another report is already named ${name}`, { code: 'REPORT_NAME_TAKEN' }),
  full: (quota) =>
    new Failure(
      'tooLarge',
      say`Your report drafts and versions are limited to ${quota} bytes (Svc:Reports:UserQuota)`,
      { code: 'REPORT_QUOTA' },
    ),
}
