/** Sections of a form by the tabs on which they stand. */
import type { Schemas } from '../../api/wire.ts'

/** A section as forms draw it. */
export type FormSection = Pick<Schemas['MetadataSection'], 'Label' | 'Tab' | 'Columns' | 'Fields'>

/** A tab with the sections on it. */
export interface FormTab {
  /** Its number among all tabs of the form, shown or not: no language moves it. */
  number: number
  /** Its name; undefined for the one of sections that the model puts on none. */
  label: string | undefined
  sections: readonly FormSection[]
}

/**
 * Plans the tabs of a form: sections without one come first, on a tab of their own, and a tab of
 * which no section is shown is left out.
 */
export function planTabs(
  sections: readonly FormSection[],
  isShown: (section: FormSection) => boolean,
): FormTab[] {
  const named = [...new Set(sections.flatMap(({ Tab }) => Tab ?? []))]
  return [undefined, ...named]
    .map((label, number) => ({
      number,
      label,
      sections: sections.filter((each) => (each.Tab ?? undefined) === label && isShown(each)),
    }))
    .filter((tab) => tab.sections.length > 0)
}

/** True for a section whose heading would say what its tab says already. */
export const isNamedByTab = ({ label, sections }: FormTab, { Label }: FormSection): boolean =>
  sections.length === 1 && Label === label
