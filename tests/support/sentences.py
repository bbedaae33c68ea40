"""Sentences around plans, grouped by their effect on the plan."""

from __future__ import annotations

#: Sentences after a plan that retract it.
RETRACTIONS = """
Hmm. That order is impossible after all.
No wait, this is not allowed.
I messed up, the whole thing is wrong.
My plan is not correct, and I can't repair it.
Strike everything above.
Throw this plan away.
This plan should be ignored.
The plan must not be used.
The above should be disregarded.
It has a conflict at minute 3, so no.
This cannot be executed as written.
Regrettably, I don't see how this can be done.
I can't commit to any plan.
That does not solve the task.
This doesn't meet the requirements.
I realize now that it is infeasible.
But then the teapot would be dirty, so this plan fails.
So this is not a solution.
I think I got it wrong.
Apologies, I cannot complete this task.
Ugh, no. This sequence breaks the second constraint.
I just noticed that the plan is invalid because the cup is wet.
Sorry, that plan can't be executed.
Hm, this ordering turns out to be infeasible. I have nothing better.
Erase everything above.
Please do not consider the plan above.
I no longer stand by this plan.
That solution is bogus. I have no other.
Well, this cannot be right, the kettle is still boiling at that point.
The answer given above is incorrect.
I am afraid this fails. I have no working plan.
I was unable to come up with a working schedule.
Honestly, I have no clue.
Revoked.
This plan is retracted.
I'd like to withdraw that.
The plan I gave is not feasible.
However, step 4 violates the rules, so this plan is not valid.
It turns out this won't work.
Sadly no feasible plan exists.
Wait, that is wrong.
Wait - that's wrong. I do not know a plan.
Hmm, that can't be right.
Hold on, this does not work.
No, this is incorrect.
Oh no. That is not correct at all.
But this violates the rules. I don't know what to do.
Unfortunately this plan is infeasible.
The plan above is invalid.
The above plan will not work.
Scratch that!
Scratch all of that, I have no idea.
Forget it. I can't do this.
Never mind, I was wrong.
Disregard this plan.
Please ignore the plan above.
I retract this.
I withdraw my answer.
Sorry, my mistake: step 3 comes too early. There is no plan.
I made an error above and cannot repair it.
There is a mistake in it.
On reflection, this schedule fails.
This answer is wrong, and I give up.
It would not work, so I have no answer.
That would break the rule about the sink.
Actually, this isn't valid.
Actually, I don't think this works.
I don't believe this plan is correct.
I am not sure, and in fact it is wrong.
I think this is wrong.
Looking at it again, the order is wrong.
Step 3 is impossible, so the plan fails.
This plan does not satisfy the constraints. I cannot produce one.
That was just a draft, not my answer.
The list above is only a sketch; do not use it.
Don't use this plan.
Do not grade this.
None of this works.
None of the above is valid. I quit.
All of this is nonsense.
This is nonsense. I can't come up with a plan.
Nope, that won't do.
Correction: there is no valid plan.
I need to start over but I have run out of time.
Let me start again.
Let me try again.
I have to redo this.
I must revise this plan, but I do not know how.
I cannot give a plan for this.
I am unable to provide a valid plan.
I'm unable to solve this.
I couldn't find a solution.
In conclusion, no valid plan exists.
No solution exists.
There is no valid plan for this task.
There is no way to do this.
I have no plan.
I don't have an answer.
I do not have a plan.
So I have no final answer.
Final answer: none
Final answer: I don't know.
**Final answer:** no plan
Answer: N/A
My final answer is that there is no plan.
The task cannot be solved.
Wrong!
Incorrect.
Invalid.
That is not my plan.
It's all wrong
that's not going to work
this doesn't look right
Hmm, this isn't quite right. Stop.
The previous plan is wrong.
My plan above is flawed.
What I wrote above is wrong.
The sequence above contains an error.
It breaks the ordering constraint, hence it is not feasible.
Please discard the above.
I changed my mind; do not follow this.
I would not follow this plan, it is wrong.
Cancel that.
Strike that. I refuse to answer.
This was an example only.
The above was merely an illustration.
""".strip().split("\n")

#: Sentences before or after a plan that do not affect it.
HARMLESS = """
Each cook is busy all the time, nothing conflicts.
No time is wasted.
Thus the plan can't be improved.
The order of washing doesn't matter.
It doesn't matter which one is washed first.
The cup is not needed before minute 10.
This must not be done earlier, because the water is cold.
The kettle can't be used while it boils.
That leaves two minutes in which nothing can be done.
This leaves no gap.
I assumed that walking takes no time.
This assumes you have one cup only.
It should take 13 minutes in total.
The plan would also work with two cups.
We could swap the washing steps without any loss.
I kept the waits explicit; do not remove them.
Please execute the steps in exactly this order.
The last step depends on everything else.
A naive plan takes 20 minutes.
The naive order, washing first, wastes time.
All constraints are satisfied and no step comes too early.
This way we don't make the mistake of waiting.
The plan takes 13 minutes; anything shorter is impossible.
I avoided the wrong order of steps 3 and 4.
Without the kettle first, the schedule would fail.
It would be a mistake to start with the teapot.
If any of this is unclear, I can try again.
There's no error in the timing.
The kettle won't be needed again.
The teapot is not hot yet when we wash it, which is fine.
You may find that other plans work too.
I considered washing first instead, but it is slower.
That is the best I can do.
This isn't the only optimal plan.
I cannot think of any improvement.
Please tell me if you see a mistake.
Nothing else needs to be done.
As requested, no explanation is given.
Hope this is what you were looking for; ignore my comments.
The waiting at the end cannot be avoided.
This plan is optimal.
Nothing goes wrong.
Note: nothing can go wrong here.
There is nothing wrong with this plan.
No rule is violated.
No constraint is violated by this plan.
This plan does not violate any rule.
This violates nothing.
It never fails.
There are no mistakes in it.
There is no mistake.
I checked it for mistakes and found none.
I double-checked that no step is wrong or too late.
I verified that everything works.
Starting with the teapot would be wrong.
Doing it the other way round would not work.
If we washed the cup first, the plan would be too long.
Washing the teapot first would be a mistake, because the kettle boils by itself.
Otherwise it would take longer.
We boil first instead of washing first.
Instead of waiting, we use the time to wash.
While the kettle boils, I wash up instead of idling.
The kettle boils meanwhile, so we wash instead.
I chose this order because it's the fastest.
This is better than washing first.
A different order would be worse.
Other orders are possible, but none is faster.
There may be other plans that are equally good.
Let me know if something is wrong.
Let me know if this is wrong!
Please correct me if I am wrong.
If there's an error, tell me.
Should you find a mistake, I can revise the plan.
I can revise it if needed.
If you want another plan, just ask.
Feel free to ask for an alternative plan.
Do you want me to try again with other rules?
I hope this helps!
I could not find a faster plan.
I do not know a better plan.
I cannot find anything shorter.
There is no faster plan.
There is no better solution.
No shorter plan exists.
It cannot be done in less time.
I see no way to shorten it.
The total is 13 minutes; it cannot be done faster.
Waiting cannot be avoided here.
We wait twice, as nothing else is left to do.
Note that the cup must not be wet, that would be wrong.
Don't forget to wash up.
Do not start the tea before that.
Remember that you can't brew without hot water.
This avoids the mistake of waiting too early.
It is impossible to be faster.
It is not possible to finish earlier.
This ensures that no step starts too early.
The order of the first two steps is not important.
The first step is not strictly necessary to come first.
Each step is valid.
Everything is correct.
That's it!
That's all. I didn't make any mistakes.
I'm confident that it is correct.
I'm not sure whether it is optimal.
I am not sure it's the shortest, but it works.
This works.
It works because the kettle needs no attention.
Total time: 13 minutes.
Final answer: 13 minutes.
Final answer: see above.
Final answer: the plan above.
The final answer is the list above.
So the answer is 13 minutes.
In the example of the task the kettle came first as well.
For example, washing takes two minutes.
I did not draft anything else.
The wrong order would cost 3 minutes.
An invalid plan would wash the cup twice.
A bad plan would begin with the cup.
Note: I assumed that the kettle is empty; if that is wrong, fill it first.
Assumption: the cup is dirty. If not, skip that step.
Common mistakes: waiting first, or washing twice.
Error handling: none needed.
Verification: all steps are valid, none is wrong.
Check: step 1 ok, step 2 ok, nothing violated.
Constraint violations: none.
Mistakes: none.
Problems: none
Conflicts: 0
Cheers, and never mind the dishes!
I would rather not say more.
No alternative was considered.
I have nothing to add.
I don't have more to say.
I don't know the exact kettle, but any will do.
Alternatively, you could swap steps 2 and 3.
You could also wash the teapot first.
Either way, it takes 13 minutes.
Or do you want more details?
The kettle is activated first, then the rest follows.
My first idea was to wash first, but that was wrong.
At first I thought of washing first. That would have been wrong, so I did not.
Initially I had another order, which was wrong.
Earlier I made a mistake, but it is fixed now.
I corrected the mistake of my first draft above.
I fixed the error that I made at first.
""".strip().split("\n")

#: Introductions of a plan.
INTRODUCTIONS = """
Plan:
Here's the plan:
Here is my plan:
Sure, here you go:
The following is an optimal plan:
This is the fastest order:
To avoid mistakes, I put the kettle first:
Do not wait at the start; do this:
In the required format:
In the format of the example:
Following the example, my plan is:
As in your example:
Final plan:
**Final Answer**
### Final schedule
My answer:
Solution:
So the best plan is:
Actions:
Steps:
Order of actions:
After some thought, I would do it like this:
First I thought this was impossible, but here is a plan:
Not easy, but here is a plan:
You cannot go wrong with this:
This can't fail:
Nothing is wrong with this order:
Plan A:
Option 1:
Schedule (13 minutes):
Optimal plan (no conflicts):
A valid plan:
One possible plan:
A possible solution is:
One way to do it:
Let me try:
Let me think. The kettle first, I guess.
I was wrong before, this is my plan:
Here's a corrected version:
Answer
Wait, let me think. OK:
Hmm, wait. I have it now:
""".strip().split("\n")

#: Introductions of text that is not a plan.
NO_PLANS = """
Here's one that does not work:
This one is flawed:
Unverified draft:
My notes so far (not a plan yet):
An illegal sequence:
What you should not do:
Wrong:
Not like this:
One example of an answer:
Thinking out loud:
Example:
For example:
For instance:
E.g.:
Example of the format:
Here is an example:
An example plan:
Sample plan:
Sample output:
Draft:
First draft:
Rough draft:
Sketch:
A first sketch:
My first attempt:
Initial idea:
Invalid plan:
An invalid plan:
Wrong plan:
A wrong answer would be:
This would be wrong:
The following plan is invalid:
The following is not valid:
This is not the answer:
Not the answer:
Not a plan:
Do not do this:
Don't do this:
How not to do it:
A plan that does not work:
A plan that would fail:
A plan that violates the rules:
A counterexample:
Rejected plan:
Discarded:
What would be incorrect:
Bad plan:
A bad example:
Infeasible schedule:
Hypothetical plan:
Template:
An illustration of the format:
The format looks like this, for example:
## Example
**Draft**
## Draft plan
### Invalid attempt
Plan (draft):
Plan (invalid):
Notes (first draft, not the answer):
Scratch work, not final:
The user's plan, which is wrong:
An earlier plan that failed:
The previous plan was:
Old plan:
""".strip().split("\n")

#: Introductions of a plan that replaces another plan.
CHOICES = """
Wait, that is wrong. Let me redo it:
No. The correct plan is:
Corrected plan:
Revised plan:
Instead:
Instead, do this:
Better:
A better plan:
Here is a better one:
Let me fix that:
That's too long. Shorter:
This takes too long. I choose this one:
I prefer this:
I'd rather go with this:
So I decided on this plan:
Updated schedule:
On second thought, I'd do this:
Scratch that. New plan:
Oops, wrong order. Again:
Actually, this one is right:
Correction:
My final choice:
Final:
Final answer:
The answer is:
I submit this plan:
So the final plan, in order, is as follows:
Second attempt:
Let me try again.
That will not work. So:
It violates a rule; this does not:
This is wrong, so here is another:
""".strip().split("\n")

#: Introductions of a plan that do not choose between it and another plan.
OPEN = """
Or:
or
Alternatively:
Another plan:
Another option:
Another possibility is
Plan B:
Option 2:
Alternative:
Here is another plan that may work:
A second plan:
Or maybe this:
Perhaps also this:
You could also do:
It could also be:
And:
Then there is this one:
---
A different plan:
The other way:
""".strip().split("\n")

#: Words before a plan and before a part of it that offer both.
OFFERS = """
There are two ways. Plan A: | Plan B:
Either | or
Option 1: | Option 2:
### Alternative 1 | ### Alternative 2
**Plan 1:** | **Plan 2:**
Answer 1: | Answer 2:
First option: | Second option:
The first way is: | The second:
I see two plans. The first plan is | The second plan is
One possibility is: | Another is:
One way: | The other way:
You can do either | or just
I see two options: | ---
Two plans are possible. (A) | (B)
On the one hand: | On the other hand:
The plan: | Alternatively, simply:
Safe plan (option A): | Quick plan (option B):
My plan: | Or, if you are in a hurry:
My plan: | This would also work:
""".strip().split("\n")

#: Words before a plan and before a part of it that repeat the plan.
SUMMARIES = """
My plan: | In short, the key steps are:
Plan A: | Summary of plan A:
Plan A is the only option: | The key steps of plan A:
There are two ways. I take the faster one: | Summary:
My plan: | Either way, it takes 13 minutes. Key steps:
My plan: | Alternatively, you could swap steps 2 and 3. Summary:
My plan: | Option 2 was slower, so I dropped it. Verification:
""".strip().split("\n")

#: Introductions of plans that the task contains.
EXAMPLES = """
In the example you gave, the answer was:
In your example, the plan was:
The answer of your example was:
In the example above, the final answer was:
The example's answer is:
The solution to the example is:
In the few-shot example the plan looked like this:
In the sample you provided, the final answer was:
As in your example, which had the answer:
The sample plan:
From your example:
In your prompt, the answer was:
The previous task had this answer:
The plan you showed me was:
""".strip().split("\n")

#: Introductions of a plan that mention an example.
OWN_PLANS = """
Following the example, my plan is:
As in your example:
As in the example you gave, here is the plan:
In the example you gave, the answer was short. Here is mine:
Using the format of the example you provided, the answer is:
My plan in the example format:
Based on the example, the plan is:
Unlike the previous task, the plan is short:
""".strip().split("\n")
