import { Command, Help, type Option } from "commander";
import { VERSION } from "../process/version.js";
import { addAudit } from "./commands/audit.js";
import { addBatch } from "./commands/batch.js";
import { addBot } from "./commands/bot.js";
import { addChannel } from "./commands/channel.js";
import { addFeed } from "./commands/feed.js";
import { addInteraction } from "./commands/interaction.js";
import { addOwner } from "./commands/owner.js";
import { addOwners } from "./commands/owners.js";
import { addPost } from "./commands/post.js";
import { addConsumer } from "./commands/reading/consumer.js";
import { addListen } from "./commands/reading/listen.js";
import { addMe } from "./commands/reading/me.js";
import { addOverview } from "./commands/reading/overview.js";
import { addTail } from "./commands/reading/tail.js";
import { addUpdates } from "./commands/reading/updates.js";
import { addReview } from "./commands/review.js";
import { addCompleteNames } from "./commands/service/complete-names.js";
import { addCompletion } from "./commands/service/completion.js";
import { addConsole } from "./commands/service/console.js";
import { addDoctor } from "./commands/service/doctor.js";
import { addOwnerToken } from "./commands/service/owner-token.js";
import { addServe } from "./commands/service/serve.js";
import { addAfterRestore } from "./commands/stores/after-restore.js";
import { addBackup } from "./commands/stores/backup.js";
import { addCells } from "./commands/stores/cells.js";
import { addCopy } from "./commands/stores/copy.js";
import { addDeliveries } from "./commands/stores/deliveries.js";
import { addMigrate } from "./commands/stores/migrate.js";
import { addRekey } from "./commands/stores/rekey.js";
import { addRestore } from "./commands/stores/restore.js";
import { addUser } from "./commands/user.js";
import { addWebhook } from "./commands/webhook.js";
import { write } from "./output/print.js";

const FIRST_STEPS = `
Getting started, with the service running (botyard serve, or npm start):
  export BOTYARD_TOKEN=$(botyard owner-token --user alice)
  botyard channel create --slug news --title News
  botyard bot create --username echo
  botyard bot attach echo news
  botyard post --channel news --body "Hello"

Environment: BOTYARD_URL (http://127.0.0.1:8080) and BOTYARD_TOKEN say where the service is and who you are.
Results go to stdout (--json for programs), messages to stderr. NO_COLOR=1 turns colours off.
Exit codes: 0 done, 1 the service refused or something failed, 2 wrong usage, 3 the service (or the
database of migrate, copy, rekey and after-restore) cannot be reached.`;

/** The `botyard` command with all its sub-commands. */
export function createProgram(): Command {
  const program = new Command("botyard")
    .description("Botyard: a self-hosted bot platform service")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: write })
    .configureHelp({ optionDescription })
    .showHelpAfterError("(add --help for all commands and options)")
    .addHelpText("after", FIRST_STEPS);

  addServe(program);
  addOwnerToken(program);
  addConsole(program);
  addBot(program);
  addChannel(program);
  addWebhook(program);
  addUpdates(program);
  addOverview(program);
  addMe(program);
  addOwner(program);
  addAudit(program);
  addConsumer(program);
  addPost(program);
  addInteraction(program);
  addBatch(program);
  addTail(program);
  addFeed(program);
  addReview(program);
  addUser(program);
  addOwners(program);
  addListen(program);
  addCopy(program);
  addRekey(program);
  addDoctor(program);
  addMigrate(program);
  addCells(program);
  addBackup(program);
  addRestore(program);
  addAfterRestore(program);
  addDeliveries(program);
  addCompletion(program);
  addCompleteNames(program);
  return program;
}

/** As commander describes an option, and whether the command needs it. */
function optionDescription(option: Option): string {
  const described = new Help().optionDescription(option);
  return option.mandatory ? `${described} (required)` : described;
}
