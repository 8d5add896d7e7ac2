import { SendEmailCommand, SESv2Client } from "@aws-sdk/client-sesv2";

const client = new SESv2Client({});

export function sendEmail(input) {
  return client.send(new SendEmailCommand(input));
}
