/**
 * Starts the application once before all specs. The first start on a workstation puts the database's key in the
 * keychain, which all user-data folders of that workstation share. Two first starts at once don't happen in practice.
 */
import { launch } from './launch.ts'

export default async function settledKeychain(): Promise<void> {
  const app = await launch()
  await app.window.locator('html[data-app-state=loaded]').waitFor()
  await app.close()
}
