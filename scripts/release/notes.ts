/** The notes of a release, from the changelog. */

/**
 * The section of a version; where it has none yet, the lines that are "Unreleased". Throws where
 * neither has a line: a release that changes nothing is none.
 */
export function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const find = (heading: string): string | undefined =>
    sections.find((section) => section.split('\n', 1)[0]?.trim().split(' ')[0] === heading)
  const unreleased = find('Unreleased')
  const section = hasLines(unreleased) ? unreleased : find(version)
  if (section === undefined || !hasLines(section))
    throw new Error(`The changelog has no lines for ${version}`)
  return `# Application Engine ${version}\n\n${section.slice(section.indexOf('\n') + 1).trim()}\n`
}

const hasLines = (section: string | undefined): boolean => /^- /m.test(section ?? '')
