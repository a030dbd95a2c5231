/** All attack tables, in the order of the document. */
import type { Area } from '../attack.ts'
import { application } from './application.ts'
import { appointments } from './appointments.ts'
import { camera } from './camera.ts'
import { covered } from './covered.ts'
import { endurance } from './endurance.ts'
import { files } from './files.ts'
import { frames } from './frames.ts'
import { identityNumbers } from './identity-numbers.ts'
import { imitation } from './imitation.ts'
import { keptData } from './kept-data.ts'
import { leftBehind } from './left-behind.ts'
import { links } from './links.ts'
import { navigation } from './navigation.ts'
import { network } from './network.ts'
import { officeNetwork } from './office-network.ts'
import { outside } from './outside.ts'
import { ownPage } from './own-page.ts'
import { permissions } from './permissions.ts'
import { policyFile } from './policy-file.ts'
import { privateAddresses } from './private-addresses.ts'
import { receipts } from './receipts.ts'
import { redirects } from './redirects.ts'
import { returnAddress } from './return-address.ts'
import { schemes } from './schemes.ts'
import { secondDisplay } from './second-display.ts'
import { settingsFile } from './settings-file.ts'
import { unseen } from './unseen.ts'
import { updates } from './updates.ts'
import { windows } from './windows.ts'

export const areas: readonly Area[] = [
  links,
  navigation,
  redirects,
  returnAddress,
  frames,
  windows,
  schemes,
  network,
  privateAddresses,
  permissions,
  camera,
  files,
  leftBehind,
  covered,
  imitation,
  endurance,
  application,
  unseen,
  ownPage,
  secondDisplay,
  receipts,
  appointments,
  outside,
  keptData,
  policyFile,
  officeNetwork,
  settingsFile,
  identityNumbers,
  updates
]
