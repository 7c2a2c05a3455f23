/** veraPDF: what a file claims of PDF/A and PDF/UA, checked rule by rule. */
import { homedir } from 'node:os'
import { join } from 'node:path'

const JAVA = Bun.which('java') ?? '/usr/bin/java'
/** Where Maven keeps what it has fetched. */
const KEPT = join(homedir(), '.m2/repository/org/verapdf/apps/greenfield-apps')
const MAIN = 'org.verapdf.apps.GreenfieldCliWrapper'

/** The rules that a file breaks, by the name of each profile that the file claims. */
export type Verdict = Record<string, string[]>

interface Report {
  report: {
    jobs: {
      itemDetails: { name: string }
      validationResult?: {
        profileName: string
        compliant: boolean
        details: {
          ruleSummaries: { clause: string; testNumber: number; description: string }[]
        }
      }[]
    }[]
  }
}

function findValidator(): string {
  const [jar] = new Bun.Glob('*/greenfield-apps-*.jar').scanSync({ cwd: KEPT, absolute: true })
  if (jar === undefined) throw new Error('veraPDF is missing: .ci/run installs it')
  return jar
}

/** Checks files against all that they claim, in one process: it takes long to start. */
export async function validateClaims(paths: readonly string[]): Promise<Map<string, Verdict>> {
  const words = ['--flavour', '0', '--format', 'json', '--loglevel', '1', ...paths]
  const process = Bun.spawn([JAVA, '-cp', findValidator(), MAIN, ...words], { stderr: 'pipe' })
  const [said, errors] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
  ])
  // 1 says that a file breaks a rule.
  if ((await process.exited) > 1) throw new Error(`veraPDF: ${errors || said}`)
  const { jobs } = (JSON.parse(said) as Report).report
  return new Map(
    jobs.map(({ itemDetails, validationResult = [] }) => [
      itemDetails.name,
      Object.fromEntries(
        validationResult.map(({ profileName, details }) => [
          profileName.replace(' validation profile', ''),
          details.ruleSummaries.map(
            ({ clause, testNumber, description }) => `${clause}-${testNumber} ${description}`,
          ),
        ]),
      ),
    ]),
  )
}
